; A robot with a few hands carries balls from room to room, one ball in each hand.
(define (domain gripper)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types room ball hand)
  (:predicates
    (robot-in ?r - room)
    (ball-in ?b - ball ?r - room)
    (empty ?h - hand)
    (holds ?h - hand ?b - ball))

  (:action go
    :parameters (?from ?to - room)
    :precondition (and (robot-in ?from) (not (= ?from ?to)))
    :effect (and (not (robot-in ?from)) (robot-in ?to)))

  (:action grasp
    :parameters (?b - ball ?h - hand ?r - room)
    :precondition (and (robot-in ?r) (ball-in ?b ?r) (empty ?h))
    :effect (and (not (ball-in ?b ?r)) (not (empty ?h)) (holds ?h ?b)))

  (:action release
    :parameters (?b - ball ?h - hand ?r - room)
    :precondition (and (robot-in ?r) (holds ?h ?b))
    :effect (and (not (holds ?h ?b)) (empty ?h) (ball-in ?b ?r))))
