; A ferry takes cars across the water, one at a time.
(define (domain ferry)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types harbour car)
  (:predicates
    (ferry-at ?h - harbour)
    (car-at ?c - car ?h - harbour)
    (aboard ?c - car)
    (deck-free))

  (:action sail
    :parameters (?from ?to - harbour)
    :precondition (and (ferry-at ?from) (not (= ?from ?to)))
    :effect (and (not (ferry-at ?from)) (ferry-at ?to)))

  (:action drive-on
    :parameters (?c - car ?h - harbour)
    :precondition (and (ferry-at ?h) (car-at ?c ?h) (deck-free))
    :effect (and (not (car-at ?c ?h)) (not (deck-free)) (aboard ?c)))

  (:action drive-off
    :parameters (?c - car ?h - harbour)
    :precondition (and (ferry-at ?h) (aboard ?c))
    :effect (and (not (aboard ?c)) (deck-free) (car-at ?c ?h))))
