; Sliding tiles in a square frame with one cell free.
(define (domain sliding-tiles)
  (:requirements :strips :typing)
  (:types tile cell)
  (:predicates
    (tile-at ?t - tile ?c - cell)
    (free ?c - cell)
    (beside ?c ?d - cell))            ; ?c and ?d share an edge

  (:action slide
    :parameters (?t - tile ?from ?to - cell)
    :precondition (and (tile-at ?t ?from) (free ?to) (beside ?from ?to))
    :effect (and (not (tile-at ?t ?from)) (not (free ?to))
                 (tile-at ?t ?to) (free ?from))))
