import matplotlib.pyplot as plt

from figmill import Drawing


def draw():
    load = [n / 20 for n in range(19)]
    waiting = [0.5 * x / (1 - x) for x in load]
    figure, axes = plt.subplots(figsize=(5, 2.8))
    axes.plot(load, waiting, label="Server 1")
    axes.set_xlabel("Load")
    axes.set_ylabel("Waiting time (s)")
    axes.legend()
    return Drawing(figure, facts={"longest": waiting[-1]})
