"""A PDDL task as a Gymnasium environment: a maskable agent of sb3-contrib learns to solve it (needs sb3-contrib).

The corridor: fetch the key at its far end and come back. The agent learns from rewards alone; a planner solves the same
environment without learning.
"""

from __future__ import annotations

from importlib.util import find_spec

import widthwise as ww

#: The steps of training, and the cells of the corridor.
STEPS, CELLS = 4_096, 6


def main() -> None:
    if find_spec("sb3_contrib") is None:
        print("skipped: this example needs sb3-contrib (pip install sb3-contrib)")
        return
    import gymnasium
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.monitor import Monitor

    torch.set_num_threads(1)
    task = ww.example("corridor", length=CELLS)
    env = gymnasium.make("widthwise.gym:widthwise/PDDL-v0", task=task, max_episode_steps=100)
    shortest = len(ww.solve(task, "bfs").plan or [])
    model = MaskablePPO("MlpPolicy", Monitor(env), n_steps=256, gamma=0.95, learning_rate=0.002, seed=0, device="cpu")
    model.learn(STEPS)

    observation, info = env.reset(seed=0)
    plan = []
    ended = False
    while not ended:
        action, _ = model.predict(observation, action_masks=info["action_mask"].astype(bool), deterministic=True)
        plan.append(env.unwrapped.action_names[int(action)])  # type: ignore[attr-defined]
        observation, _, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
    print(f"learned in {STEPS:,} steps: {len(plan)} actions, the shortest plan has {shortest}")
    assert info["goal"]
    assert ww.validate(task, plan).valid

    agent = ww.OnlinePlanner(env)
    episode = agent.run(seed=0)
    print(f"planned without learning: {episode.steps} actions after {episode.interactions:,} simulator steps")
    assert episode.score == 1


if __name__ == "__main__":
    main()
