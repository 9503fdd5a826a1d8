; A corridor with a key at its far end. Walking there and back visits every position twice, once
; without and once with the key: position and key have to be seen together, so the width is 2.
(define (domain corridor)
  (:requirements :strips :typing)
  (:types position)
  (:predicates
    (at ?p - position)                ; where the walker stands
    (next ?p ?q - position)           ; ?q is one step away from ?p
    (key-at ?p - position)            ; the key lies here until it is taken
    (have-key)
    (door-at ?p - position)           ; the door that the key fits, if there is one
    (open))

  (:action walk
    :parameters (?from ?to - position)
    :precondition (and (at ?from) (next ?from ?to))
    :effect (and (not (at ?from)) (at ?to)))

  (:action take-key
    :parameters (?p - position)
    :precondition (and (at ?p) (key-at ?p))
    :effect (and (not (key-at ?p)) (have-key)))

  (:action open-door
    :parameters (?p - position)
    :precondition (and (at ?p) (door-at ?p) (have-key))
    :effect (open)))
