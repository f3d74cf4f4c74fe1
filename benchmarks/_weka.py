"""Weka's J48 as a peer: fitted in one Java process, its thread timed inside it after a warm-up."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

JAR = Path("/usr/share/java/weka.jar")  # where Debian's package puts it

_JAVA = """
import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import weka.classifiers.trees.J48;
import weka.core.Instances;

public class Clock {
  public static void main(String[] arguments) throws Exception {
    Instances rows = new Instances(new BufferedReader(new FileReader(arguments[0])));
    rows.setClassIndex(rows.numAttributes() - 1);
    J48 first = new J48();
    first.buildClassifier(rows);
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    double best = Double.MAX_VALUE;
    J48 model = null;
    for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
      model = new J48();
      long start = clock.getCurrentThreadCpuTime();
      model.buildClassifier(rows);
      best = Math.min(best, (clock.getCurrentThreadCpuTime() - start) * 1e-9);
    }
    int right = 0;
    for (int i = 0; i < rows.numInstances(); i++) {
      if (model.classifyInstance(rows.instance(i)) == rows.instance(i).classValue()) right++;
    }
    System.out.println("{\\"seconds\\": " + best + ", \\"nodes\\": " + (int) model.measureTreeSize()
        + ", \\"accuracy\\": " + (double) right / rows.numInstances() + "}");
  }
}
"""


def write_arff(path, table, y):
    """Write a mapping of columns; columns of strings are nominal, NaN and None are gaps."""
    heads, columns = ["@relation table"], []
    for name, column in table.items():
        if np.asarray(column).dtype.kind == "f":
            heads.append(f"@attribute {name} numeric")
            columns.append(["?" if np.isnan(x) else repr(float(x)) for x in column])
        else:
            words = sorted({word for word in column if word is not None})
            heads.append(f"@attribute {name} {{{','.join(words)}}}")
            columns.append(["?" if word is None else word for word in column])
    heads.append(f"@attribute y {{{','.join(map(str, np.unique(y)))}}}")
    rows = map(",".join, zip(*columns, map(str, y), strict=True))
    path.write_text("\n".join([*heads, "@data", *rows]) + "\n")


def j48(table, y, repeat=1):
    """Seconds, nodes and training accuracy of J48; None without Weka or a Java compiler."""
    if shutil.which("javac") is None or not JAR.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        arff, source = Path(folder, "table.arff"), Path(folder, "Clock.java")
        write_arff(arff, table, y)
        source.write_text(_JAVA)
        done = subprocess.run(
            ["java", "-Xmx4g", "-cp", str(JAR), str(source), str(arff), str(repeat)],
            capture_output=True,
            text=True,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])
