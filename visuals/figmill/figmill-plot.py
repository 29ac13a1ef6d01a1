import matplotlib.pyplot as plt

import figmill
from figmill.palette import role

figmill.style()
epochs = [0, 1, 2, 3, 4]
losses = {"training": [2.3, 1.1, 0.8, 0.7, 0.66], "validation": [2.4, 1.3, 1.1, 1.05, 1.04]}
for (name, loss), tone in zip(losses.items(), ("compute", "routing"), strict=True):
    plt.plot(epochs, loss, color=role(tone).line, label=name)
    plt.text(4.3, loss[-1], name, va="center", color=role(tone).ink)
plt.xticks(epochs)
plt.yticks([0.5, 1, 1.5, 2, 2.5])
plt.xlabel("Epoch")
plt.ylabel("Loss", rotation=0, ha="left")
plt.gca().yaxis.set_label_coords(0, 1.03)
plt.title("Loss levels off higher in validation than in training", pad=26)
plt.show()
