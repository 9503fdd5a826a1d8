"""Small PDDL texts of our own that the reader's tests share; together they use the whole language."""

from __future__ import annotations

BLOCKS = """; a table of blocks, one hand
(define (domain Tower)
  (:requirements :strips :typing)
  (:types block - object)
  (:predicates (on ?x ?y - block) (clear ?x - block) (ontable ?x - block) (holding ?x - block) (free))
  (:action lift
    :parameters (?x - block)
    :precondition (and (clear ?x) (ontable ?x) (free))
    :effect (and (holding ?x) (not (clear ?x)) (not (ontable ?x)) (not (free))))
  (:action drop
    :parameters (?x - block)
    :precondition (holding ?x)
    :effect (and (clear ?x) (ontable ?x) (free) (not (holding ?x))))
  (:action stack
    :parameters (?x ?y - block)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (free) (not (holding ?x)) (not (clear ?y))))
)
"""

BLOCKS_PROBLEM = """(define (problem two)
  (:domain TOWER)
  (:objects a B c - block)
  (:init (ontable a) (clear a) (ontable b) (clear b) (ontable c) (clear c) (free))
  (:goal (and (on a b)))
)
"""

WAREHOUSE = """(define (domain warehouse)
  (:requirements :adl :action-costs :derived-predicates)
  (:types place thing - object
          truck crate - thing
          cold-crate - crate)
  (:constants depot - place)
  (:predicates (at ?t - thing ?p - place) (in ?c - crate ?t - truck) (road ?a ?b - place)
               (broken ?t - (either truck crate)) (linked ?a ?b - place) (stocked ?p - place)
               (done) (checked ?p - place))
  (:functions (total-cost) - number (length ?a ?b - place) - number (toll) - number)
  (:derived (linked ?a ?b - place)
    (or (road ?a ?b) (exists (?m - place) (and (linked ?a ?m) (road ?m ?b)))))
  (:derived (stocked ?p - place)
    (forall (?c - crate) (imply (not (broken ?c)) (at ?c ?p))))
  (:action drive
    :parameters (?t - truck ?a ?b - place)
    :precondition (and (at ?t ?a) (or (road ?a ?b) (road ?b ?a)) (not (= ?a ?b)) (not (broken ?t)))
    :effect (and (at ?t ?b) (not (at ?t ?a))
                 (forall (?c - crate) (when (in ?c ?t) (and (at ?c ?b) (not (at ?c ?a)))))
                 (increase (total-cost) (+ (length ?a ?b) 1))))
  (:action load
    :parameters (?c - crate ?t - truck)
    :precondition (exists (?p - place) (and (at ?c ?p) (at ?t ?p)))
    :effect (and (in ?c ?t) (increase (total-cost) 2)))
  (:action unload
    :parameters (?c - crate ?t - truck)
    :precondition (in ?c ?t)
    :effect (and (not (in ?c ?t))
                 (when (or (broken ?c) (exists (?o - crate) (and (in ?o ?t) (not (= ?o ?c))))) (done))
                 (increase (total-cost) (toll))))
  (:action shake
    :parameters (?t - truck)
    :precondition (forall (?c - crate) (not (in ?c ?t)))
    :effect (forall (?c - crate) (when (exists (?p - place) (and (at ?c ?p) (at ?t ?p))) (broken ?c))))
  (:action inspect
    :parameters (?p - place)
    :precondition (imply (stocked depot) (linked depot ?p))
    :effect (checked ?p))
  (:action wait :effect (and))
)
"""

WAREHOUSE_PROBLEM = """(define (problem small)
  (:domain warehouse)
  (:objects lorry - truck box - crate ice - cold-crate north south - place)
  (:init (at lorry depot) (at box depot) (at ice north) (road depot north) (road north south)
         (= (total-cost) 0) (= (length depot north) 3) (= (length north depot) 3)
         (= (length north south) 4.5) (= (length south north) 4) (= (toll) 1)
         (= (length depot south) 9) (= (length south depot) 9))
  (:goal (and (forall (?c - crate) (at ?c south)) (or (checked south) (done))))
  (:metric minimize (total-cost))
)
"""

TASKS = ((BLOCKS, BLOCKS_PROBLEM), (WAREHOUSE, WAREHOUSE_PROBLEM))
