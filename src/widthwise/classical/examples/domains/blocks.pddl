; Towers of blocks on a table; an arm moves one block at a time.
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (on ?upper ?lower - block)
    (on-table ?b - block)
    (clear ?b - block)                ; nothing lies on ?b, and the arm does not hold it
    (held ?b - block)
    (arm-free))

  (:action lift
    :parameters (?b - block)
    :precondition (and (on-table ?b) (clear ?b) (arm-free))
    :effect (and (held ?b) (not (on-table ?b)) (not (clear ?b)) (not (arm-free))))

  (:action set-down
    :parameters (?b - block)
    :precondition (held ?b)
    :effect (and (on-table ?b) (clear ?b) (arm-free) (not (held ?b))))

  (:action take-off
    :parameters (?upper ?lower - block)
    :precondition (and (on ?upper ?lower) (clear ?upper) (arm-free))
    :effect (and (held ?upper) (clear ?lower)
                 (not (on ?upper ?lower)) (not (clear ?upper)) (not (arm-free))))

  (:action put-on
    :parameters (?upper ?lower - block)
    :precondition (and (held ?upper) (clear ?lower))
    :effect (and (on ?upper ?lower) (clear ?upper) (arm-free)
                 (not (held ?upper)) (not (clear ?lower)))))
