; a table of blocks, one hand
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
