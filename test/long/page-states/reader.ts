// Somebody who uses the pages in one way alone, and how many steps it takes.

export interface Reader extends AsyncDisposable {
  /**
   * Steps since `visit`: without script a link followed, a field filled or a form sent; by keyboard a key pressed,
   * a text typed counting as one; by the accessibility tree an element acted on.
   */
  readonly steps: number;
  /** Opens a page to begin with, which is no step. */
  visit(path: string): Promise<void>;
  /** Follows the first link whose name matches. */
  follow(name: RegExp): Promise<void>;
  /** Fills the field of this label in. */
  fill(label: RegExp, text: string): Promise<void>;
  /** Presses the button of this name; what is folded around it is unfolded first. */
  press(name: RegExp, fold?: RegExp): Promise<void>;
  /** Presses a button that leads to a file, and gives its text. */
  download(name: RegExp, fold: RegExp): Promise<string>;
  /** Path and query of the page. */
  address(): string;
  /** The markup of the page. */
  markup(): Promise<string>;
}
