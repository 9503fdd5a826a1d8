; Parcels travel by truck inside a city and by plane between the airports of cities.
(define (domain logistics)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types
    city place thing - object
    airport - place
    parcel vehicle - thing
    truck plane - vehicle)
  (:predicates
    (belongs ?p - place ?c - city)    ; the place lies in the city
    (at ?t - thing ?p - place)
    (inside ?x - parcel ?v - vehicle))

  (:action load
    :parameters (?x - parcel ?v - vehicle ?p - place)
    :precondition (and (at ?x ?p) (at ?v ?p))
    :effect (and (not (at ?x ?p)) (inside ?x ?v)))

  (:action unload
    :parameters (?x - parcel ?v - vehicle ?p - place)
    :precondition (and (inside ?x ?v) (at ?v ?p))
    :effect (and (not (inside ?x ?v)) (at ?x ?p)))

  (:action drive
    :parameters (?t - truck ?from ?to - place ?c - city)
    :precondition (and (at ?t ?from) (belongs ?from ?c) (belongs ?to ?c) (not (= ?from ?to)))
    :effect (and (not (at ?t ?from)) (at ?t ?to)))

  (:action fly
    :parameters (?a - plane ?from ?to - airport)
    :precondition (and (at ?a ?from) (not (= ?from ?to)))
    :effect (and (not (at ?a ?from)) (at ?a ?to))))
