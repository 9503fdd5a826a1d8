; A walker has to set foot on every cell of a grid.
(define (domain visit-all)
  (:requirements :strips :typing)
  (:types cell)
  (:predicates
    (standing ?c - cell)
    (visited ?c - cell)
    (beside ?c ?d - cell))            ; ?c and ?d share an edge

  (:action step
    :parameters (?from ?to - cell)
    :precondition (and (standing ?from) (beside ?from ?to))
    :effect (and (not (standing ?from)) (standing ?to) (visited ?to))))
