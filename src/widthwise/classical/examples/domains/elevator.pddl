; A lift of unlimited capacity takes passengers to their floors.
(define (domain elevator)
  (:requirements :strips :typing)
  (:types floor passenger)
  (:predicates
    (lift-at ?f - floor)
    (above ?low ?high - floor)        ; ?high is any number of floors above ?low
    (waits ?p - passenger ?f - floor)
    (wants ?p - passenger ?f - floor)
    (riding ?p - passenger)
    (arrived ?p - passenger))

  (:action up
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?from ?to))
    :effect (and (not (lift-at ?from)) (lift-at ?to)))

  (:action down
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?to ?from))
    :effect (and (not (lift-at ?from)) (lift-at ?to)))

  (:action enter
    :parameters (?p - passenger ?f - floor)
    :precondition (and (lift-at ?f) (waits ?p ?f))
    :effect (and (not (waits ?p ?f)) (riding ?p)))

  (:action leave
    :parameters (?p - passenger ?f - floor)
    :precondition (and (lift-at ?f) (riding ?p) (wants ?p ?f))
    :effect (and (not (riding ?p)) (arrived ?p))))
