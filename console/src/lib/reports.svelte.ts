import { open, Refused, type Report } from "./report";

// The reports that are open, for as long as the page: the second is compared with the
// first. They are files of the visitor's, and never leave the page.
class Reports {
  first = $state.raw<Report | null>(null);
  second = $state.raw<Report | null>(null);
  refused = $state.raw<Refused[]>([]);
  busy = $state("");

  // take opens files: the first of all becomes the first, any other the second.
  async take(files: Iterable<File>) {
    this.refused = [];
    for (const file of files) {
      this.busy = file.name;
      await new Promise((drawn) => setTimeout(drawn)); // so that the page says what it reads
      try {
        const report = await open(file);
        if (this.first) this.second = report;
        else this.first = report;
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        this.refused = [...this.refused, thrown];
      } finally {
        this.busy = "";
      }
    }
  }

  swap() {
    [this.first, this.second] = [this.second, this.first];
  }

  // close closes the second report, or else the first.
  close() {
    if (this.second) this.second = null;
    else this.first = null;
  }
}

export const reports = new Reports();
