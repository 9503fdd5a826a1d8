(define (domain random)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :universal-preconditions :existential-preconditions :conditional-effects :equality :action-costs :derived-predicates)
  (:types t - object a b - t)
  (:predicates (p0 ?x0 - t ?x1 - a) (p1 ?x0 - b) (p2 ?x0 - b) (p3 ?x0 - a) (p4) (d0 ?x0 - a))
  (:functions (total-cost) - number)
  (:derived (d0 ?d0 - a) (or (and)))
  (:action act0
    :parameters (?v0 - b)
    :precondition (and )
    :effect (and (forall (?q1 - a) (when (or (p3 ?q1) (p2 ?v0)) (p3 ?q1))) (and) (not (p2 ?v0)) (increase (total-cost) 2)))
  (:action act1
    :parameters (?v0 - a ?v1 - b)
    :precondition (and (and (or (p0 ?v0 ?v0) (p0 ?v0 ?v0)) (not (p3 ?v0)) (p0 ?v1 ?v0)) (not (not (p0 ?v1 ?v0))))
    :effect (and (p4) (increase (total-cost) 4)))
  (:action act2
    :parameters (?v0 - a ?v1 - b)
    :precondition (and )
    :effect (and (when (forall (?q2 - a) (p4)) (p4)) (not (p2 ?v1)) (not (p2 ?v1)) (increase (total-cost) 3)))
)
