// Assembles WebAssembly text (https://webassembly.github.io/spec/core/text/) into the bytes of a module: of
// the language what kernel-text.ts needs. Instructions are folded, every operand in brackets behind its
// operator; blocks and functions have labels and locals by name; a function takes and gives numbers of 32
// bits. One memory is imported, as `(import "kernels" "memory" (memory PAGES))`.

/** A word of the text, or what stands between two brackets. */
type Expression = string | readonly Expression[];

/** Throws a SyntaxError where the text is not of this kind. */
export function assemble(text: string): Uint8Array<ArrayBuffer> {
  const [module, ...rest] = readExpressions(text);
  if (!Array.isArray(module) || module[0] !== 'module' || rest.length > 0) {
    throw new SyntaxError('expected one `(module …)`');
  }
  const fields = (module.slice(1) as Expression[][]).map(([kind, ...field]) => ({ kind, field }));
  const memory = fields.find(({ kind }) => kind === 'import')?.field as [string, string, Expression[]];
  const functions = fields.filter(({ kind }) => kind === 'func').map(({ field }) => new FunctionText(field));
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(functions.map(({ type }) => type))),
    ...section(
      2,
      vector([[...name(memory[0]), ...name(memory[1]), 0x02, 0x00, ...unsigned(+memory[2][1]!)]]),
    ),
    ...section(3, vector(functions.map((_, i) => unsigned(i)))),
    ...section(7, vector(functions.map((one, i) => [...name(one.exported), 0x00, ...unsigned(i)]))),
    ...section(10, vector(functions.map(({ code }) => counted(code)))),
  ]);
}

function readExpressions(text: string): Expression[] {
  const open: Expression[][] = [[]];
  for (const [word] of text.replaceAll(/;;.*/g, '').matchAll(/[()]|[^\s()]+/g)) {
    if (word === '(') open.push([]);
    else if (word !== ')') open.at(-1)!.push(word);
    else {
      const closed = open.pop()!;
      if (open.length === 0) throw new SyntaxError('found a `)` too many');
      open.at(-1)!.push(closed);
    }
  }
  if (open.length > 1) throw new SyntaxError(`${open.length - 1} \`)\` are missing`);
  return open[0]!;
}

const TYPES: Record<string, number> = { i32: 0x7f, i64: 0x7e, v128: 0x7b };

/** `(func (export "name") (param $a i32)… (result i32) (local $b i32)… instruction…)`. */
class FunctionText {
  readonly exported: string;
  readonly type: readonly number[];
  readonly code: number[];
  readonly #locals = new Map<string, number>();
  /** Of the blocks around the instruction, the outermost first. */
  readonly #labels: string[] = [];

  constructor(field: readonly Expression[]) {
    const of = (kind: string) => (field as string[][]).filter(([first]) => first === kind);
    const [params, locals] = [of('param'), of('local')];
    for (const [, local] of [...params, ...locals]) this.#locals.set(local!, this.#locals.size);
    const typesOf = (typed: string[][]) => typed.map((one) => typeOf(one.at(-1)!));
    this.exported = of('export')[0]![1]!;
    this.type = [0x60, ...counted(typesOf(params)), ...counted(typesOf(of('result')))];
    this.code = vector(typesOf(locals).map((type) => [1, type]));
    this.#sequence(field.slice(field.findIndex(([kind]) => !HEADS.has(kind as string))));
    this.code.push(END);
  }

  #sequence(instructions: readonly Expression[]): void {
    for (const instruction of instructions) this.#instruction(instruction);
  }

  #instruction(expression: Expression): void {
    if (typeof expression === 'string') throw new SyntaxError(`expected \`(\`, found \`${expression}\``);
    const [operator, ...operands] = expression as [string, ...Expression[]];
    if (operator === 'block') this.#block(0x02, operands[0] as string, operands.slice(1));
    else if (operator === 'loop') this.#block(0x03, operands[0] as string, operands.slice(1));
    else if (operator === 'if') {
      // (if condition (then instruction…))
      this.#instruction(operands[0]!);
      this.#block(0x04, '', operands[1]!.slice(1) as readonly Expression[]);
    } else {
      const opcode = OPCODES[operator];
      if (opcode === undefined) throw new SyntaxError(`found the unknown instruction \`${operator}\``);
      for (const operand of operands) if (typeof operand !== 'string') this.#instruction(operand);
      this.code.push(...opcode);
      this.#immediates(operator, operands.find((operand) => typeof operand === 'string') ?? '');
    }
  }

  #block(opcode: number, label: string, body: readonly Expression[]): void {
    this.#labels.push(label);
    this.code.push(opcode, NO_RESULT);
    this.#sequence(body);
    this.code.push(END);
    this.#labels.pop();
  }

  /** What stands behind the operator; none has two words. */
  #immediates(operator: string, word: string): void {
    const { code } = this;
    if (operator.startsWith('local.')) code.push(...unsigned(this.#local(word)));
    else if (operator.startsWith('br')) code.push(...unsigned(this.#depth(word)));
    else if (operator === 'i32.const') code.push(...signed(Number(word)));
    else if (operator.includes('extract_lane')) code.push(Number(word));
    else if (operator === 'memory.fill') code.push(0);
    else if (/\.(load|store)/.test(operator)) code.push(0, ...unsigned(offsetOf(word)));
  }

  #local(local: string): number {
    const number = this.#locals.get(local);
    if (number === undefined) throw new SyntaxError(`found the unknown local \`${local}\``);
    return number;
  }

  /** How many blocks stand between the instruction and that of the label. */
  #depth(label: string): number {
    const place = this.#labels.lastIndexOf(label);
    if (place < 0) throw new SyntaxError(`found the unknown label \`${label}\``);
    return this.#labels.length - 1 - place;
  }
}

const HEADS = new Set(['export', 'param', 'result', 'local']);
const END = 0x0b;
const NO_RESULT = 0x40;

function typeOf(word: string): number {
  const type = TYPES[word];
  if (type === undefined) throw new SyntaxError(`expected a type, found \`${word}\``);
  return type;
}

/** Of `offset=16`; 0 where it is not given. Alignment, a hint, is left at 1 byte. */
function offsetOf(word: string): number {
  return word === '' ? 0 : Number(word.slice('offset='.length));
}

/** LEB128, as all numbers of a module. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  if (value >= -0x40 && value < 0x40) return [value & 0x7f];
  return [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

function name(quoted: string): number[] {
  return counted([...new TextEncoder().encode(quoted.slice(1, -1))]);
}

/** Behind how many they are. */
function counted(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function section(id: number, bytes: readonly number[]): number[] {
  return [id, ...counted(bytes)];
}

/** Those of vectors follow 0xfd, as numbers of LEB128. */
function simd(code: number): readonly number[] {
  return [0xfd, ...unsigned(code)];
}

const OPCODES: Record<string, readonly number[]> = {
  br: [0x0c],
  br_if: [0x0d],
  return: [0x0f],
  'local.get': [0x20],
  'local.set': [0x21],
  'local.tee': [0x22],
  'i32.load': [0x28],
  'i64.load': [0x29],
  'i32.load8_u': [0x2d],
  'i32.load16_u': [0x2f],
  'i32.store': [0x36],
  'i32.store8': [0x3a],
  'i32.store16': [0x3b],
  'i32.const': [0x41],
  'i32.eqz': [0x45],
  'i32.ne': [0x47],
  'i32.lt_u': [0x49],
  'i32.gt_u': [0x4b],
  'i32.ge_u': [0x4f],
  'i64.eqz': [0x50],
  'i32.ctz': [0x68],
  'i32.popcnt': [0x69],
  'i32.add': [0x6a],
  'i32.sub': [0x6b],
  'i32.and': [0x71],
  'i32.or': [0x72],
  'i32.xor': [0x73],
  'i32.shl': [0x74],
  'i32.shr_u': [0x76],
  'i64.ctz': [0x7a],
  'i64.sub': [0x7d],
  'i64.and': [0x83],
  'i64.shr_u': [0x88],
  'i32.wrap_i64': [0xa7],
  'i64.extend_i32_u': [0xad],
  'memory.fill': [0xfc, 0x0b],
  'v128.load': simd(0x00),
  'v128.store': simd(0x0b),
  'i8x16.swizzle': simd(0x0e),
  'i8x16.splat': simd(0x0f),
  'i16x8.splat': simd(0x10),
  'i16x8.extract_lane_u': simd(0x19),
  'i32x4.extract_lane': simd(0x1b),
  'v128.and': simd(0x4e),
  'v128.andnot': simd(0x4f),
  'v128.or': simd(0x50),
  'i8x16.popcnt': simd(0x62),
  'i8x16.add': simd(0x6e),
  'i16x8.extadd_pairwise_i8x16_u': simd(0x7d),
  'i32x4.extadd_pairwise_i16x8_u': simd(0x7f),
  'i16x8.add': simd(0x8e),
  'i32x4.add': simd(0xae),
};
