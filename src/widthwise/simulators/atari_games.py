"""The games of the paper's table, and what ale-py calls them."""

from __future__ import annotations

import re

#: The 53 games in the order of the table.
PAPER_GAMES = (
    "Alien", "Amidar", "Assault", "Asterix", "Asteroids", "Atlantis", "Bank Heist", "Battle zone",
    "Beam rider", "Berzerk", "Bowling", "Boxing", "Breakout", "Centipede", "Chopper command",
    "Crazy climber", "Demon attack", "Double dunk", "Enduro", "Fishing derby", "Frostbite", "Gopher",
    "Gravitar", "HERO", "Ice hockey", "James bond 007", "Kangaroo", "Krull", "Kung-fu master",
    "Montezuma's revenge", "Ms. Pac-man", "Name this game", "Phoenix", "Pitfall!", "Pong",
    "Private eye", "Q*bert", "Road Runner", "Robotank", "Seaquest", "Skiing", "Solaris",
    "Space invaders", "Stargunner", "Tennis", "Time pilot", "Tutankham", "Up'n down", "Venture",
    "Video pinball", "Wizard of wor", "Yars' revenge", "Zaxxon",
)  # fmt: skip

_ALE_NAMES = {
    "james_bond_007": "jamesbond",
    "kung_fu_master": "kung_fu_master",
    "montezumas_revenge": "montezuma_revenge",
    "ms_pac_man": "ms_pacman",
    "q_bert": "qbert",
    "stargunner": "star_gunner",
    "up_n_down": "up_n_down",
    "upn_down": "up_n_down",
}


def ale_name(game: str) -> str:
    """The name ale-py has for a game, whichever way it is written: `Ms. Pac-man`, `MsPacman`, `ms_pacman`."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", game.strip()).lower().replace("'", "")
    plain = re.sub(r"[^a-z0-9]+", "_", words).strip("_")
    return _ALE_NAMES.get(plain, plain)
