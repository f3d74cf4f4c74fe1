import java.io.BufferedReader;
import java.io.FileReader;
import java.io.PrintStream;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;

/**
 * Fit J48 once for each line of options and print what came out.
 *
 *   java -cp weka.jar J48Runs.java table.arff cycle "-C 0.25 -M 2" "-U" ...
 *
 * A row weighs 1 + (row mod cycle), rows counted from 0. The class is the last column. For each run:
 * a line "run leaves size lines", the printed tree in so many lines, and a line for each row with the
 * index of the predicted class and the distribution.
 */
public class J48Runs {
  public static void main(String[] arguments) throws Exception {
    Instances rows = new Instances(new BufferedReader(new FileReader(arguments[0])));
    rows.setClassIndex(rows.numAttributes() - 1);
    int cycle = Integer.parseInt(arguments[1]);
    for (int i = 0; i < rows.numInstances(); i++) {
      rows.instance(i).setWeight(1 + i % cycle);
    }
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    for (int a = 2; a < arguments.length; a++) {
      J48 model = new J48();
      model.setOptions(Utils.splitOptions(arguments[a]));
      model.buildClassifier(rows);
      print(model, rows, out);
    }
    out.flush();
  }

  private static void print(J48 model, Instances rows, PrintStream out) throws Exception {
    String[] lines = model.toString().split("\n");
    out.println("run " + (int) model.measureNumLeaves() + " " + (int) model.measureTreeSize() + " "
        + lines.length);
    for (String line : lines) {
      out.println(line);
    }
    for (int i = 0; i < rows.numInstances(); i++) {
      StringBuilder line = new StringBuilder();
      line.append((int) model.classifyInstance(rows.instance(i)));
      for (double p : model.distributionForInstance(rows.instance(i))) {
        line.append(' ').append(p);
      }
      out.println(line);
    }
  }
}
