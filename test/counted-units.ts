// Work on a text, counted instead of timed: the units of it that expressions and loops go over.

/**
 * Every use of an expression goes through `exec`, whichever method of text or expression asks; loops ask for the code
 * of one unit after the other. An expression that finds nothing has gone over the text to its end.
 */
export function countedUnits(
  text: string,
  run: (text: string) => unknown,
  each: (expression: RegExp, units: number) => void = () => {},
): number {
  const { exec } = RegExp.prototype;
  const { charCodeAt } = String.prototype;
  let units = 0;
  RegExp.prototype.exec = function (this: RegExp, searched: string) {
    const from = this.sticky || this.global ? this.lastIndex : 0;
    const found = exec.call(this, searched);
    const end = found === null ? searched.length : found.index + found[0].length;
    units += 1 + end - from;
    each(this, end - from);
    return found;
  };
  String.prototype.charCodeAt = function (this: string, at: number) {
    units++;
    return charCodeAt.call(this, at);
  };
  try {
    run(text);
  } finally {
    RegExp.prototype.exec = exec;
    String.prototype.charCodeAt = charCodeAt;
  }
  return units;
}
