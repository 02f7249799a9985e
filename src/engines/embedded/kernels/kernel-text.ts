// The kernels as WebAssembly text: loops over sets and columns with 128 bits at a time. `npm run kernels`
// assembles them into kernel-module.ts; kernels.ts says what each does, and typescript-kernels.ts does the
// same.
//
// A kernel is given addresses in the one memory, in bytes. Loops that are unrolled are written once: what is
// repeated is put in by TypeScript, with the offset of each repetition.

import { COUNTERS_BYTES, SET_BYTES, SHUFFLES } from './kernels.ts';

/** Vectors of a block: of so many, the bits of a byte add up to 128, which a byte can still say. */
const BLOCK_VECTORS = 16;
const VECTOR_BYTES = 16;
/** Of a set, whose numbers are packed before they are counted: 4 KB at most, which stay in the nearest cache. */
const PACKED_FROM_BYTES = 256;

export function kernelText(): string {
  return `(module (import "kernels" "memory" (memory 1))
    ${combining('intersect', (a, b) => `(v128.and ${a} ${b})`)}
    ${combining('subtract', (a, b) => `(v128.andnot ${a} ${b})`)}
    ${combining('unite', (a, b) => `(v128.or ${a} ${b})`)}
    ${POPCOUNT}
    ${MEMBERS}
    ${KEEP}
    ${marking('mark', (byte, bit) => `(i32.or ${byte} ${bit})`)}
    ${marking('unmark', () => '(i32.const 0)')}
    ${TALLY_BITS}
    ${TALLY_VALUES}
    ${SUM_COUNTERS})`;
}

function repeat(times: number, text: (i: number) => string): string {
  return Array.from({ length: times }, (_, i) => text(i)).join('\n');
}

/**
 * Two sets into a third, whose members are counted: bits by bytes within a block, then in lanes of 16 bits
 * over all blocks (at most 32 × 2 × 128), then in four lanes of 32 bits.
 */
function combining(name: string, combined: (a: string, b: string) => string): string {
  return `(func (export "${name}") (param $a i32) (param $b i32) (param $into i32) (result i32)
    (local $end i32) (local $word v128) (local $bytes v128) (local $sum v128)
    (local.set $end (i32.add (local.get $a) (i32.const ${SET_BYTES})))
    (loop $blocks
      ${repeat(BLOCK_VECTORS, (i) => {
        const at = `offset=${i * VECTOR_BYTES}`;
        const [a, b] = [`(v128.load ${at} (local.get $a))`, `(v128.load ${at} (local.get $b))`];
        const bits = '(i8x16.popcnt (local.get $word))';
        return `(local.set $word ${combined(a, b)})
          (v128.store ${at} (local.get $into) (local.get $word))
          (local.set $bytes ${i === 0 ? bits : `(i8x16.add (local.get $bytes) ${bits})`})`;
      })}
      (local.set $sum
        (i16x8.add (local.get $sum) (i16x8.extadd_pairwise_i8x16_u (local.get $bytes))))
      ${repeat(3, (i) => advance(['$a', '$b', '$into'][i]!, BLOCK_VECTORS * VECTOR_BYTES))}
      (br_if $blocks (i32.lt_u (local.get $a) (local.get $end))))
    ${SUM_OF_LANES})`;
}

/** Of `$sum`, as a result. */
const SUM_OF_LANES = `(local.set $sum (i32x4.extadd_pairwise_i16x8_u (local.get $sum)))
  (i32.add
    (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
    (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum))))`;

/**
 * Four words at a time, of a set at the most: lanes of 16 bits come to 512 × 16. The last words one by one.
 */
const POPCOUNT = `(func (export "popcount") (param $words i32) (param $end i32) (result i32)
  (local $lastFour i32) (local $few i32) (local $sum v128)
  (local.set $lastFour (i32.sub (local.get $end) (i32.const ${VECTOR_BYTES})))
  (block $fewer
    (loop $fours
      (br_if $fewer (i32.gt_u (local.get $words) (local.get $lastFour)))
      (local.set $sum
        (i16x8.add (local.get $sum)
          (i16x8.extadd_pairwise_i8x16_u (i8x16.popcnt (v128.load (local.get $words))))))
      ${advance('$words', VECTOR_BYTES)}
      (br $fours)))
  (block $none
    (loop $ones
      (br_if $none (i32.ge_u (local.get $words) (local.get $end)))
      (local.set $few (i32.add (local.get $few) (i32.popcnt (i32.load (local.get $words)))))
      ${advance('$words', 4)}
      (br $ones)))
  (i32.add (local.get $few) ${SUM_OF_LANES}))`;

function advance(local: string, bytes: number): string {
  return `(local.set ${local} (i32.add (local.get ${local}) (i32.const ${bytes})))`;
}

/** 64 docIds at a time, most of which have few bits. */
const MEMBERS = `(func (export "members") (param $words i32) (param $into i32) (result i32)
  (local $from i32) (local $base i32) (local $left i64)
  (local.set $from (local.get $into))
  (loop $each
    (local.set $left (i64.load (local.get $words)))
    (block $none
      (br_if $none (i64.eqz (local.get $left)))
      (loop $bits
        (i32.store16 (local.get $into)
          (i32.add (local.get $base) (i32.wrap_i64 (i64.ctz (local.get $left)))))
        ${advance('$into', 2)}
        (local.set $left
          (i64.and (local.get $left) (i64.sub (local.get $left) (i64.extend_i32_u (i32.const 1)))))
        (br_if $bits (i32.eqz (i64.eqz (local.get $left))))))
    ${advance('$words', 8)}
    ${advance('$base', 64)}
    (br_if $each (i32.lt_u (local.get $base) (i32.const ${SET_BYTES * 8}))))
  (i32.shr_u (i32.sub (local.get $into) (local.get $from)) (i32.const 1)))`;

/** Every number is written, but only those that are kept move the end: there is no branch to mispredict. */
const KEEP = `(func (export "keep")
  (param $values i32) (param $end i32) (param $words i32) (param $unwanted i32) (param $into i32) (result i32)
  (local $from i32) (local $value i32)
  (local.set $from (local.get $into))
  (block $done
    (loop $each
      (br_if $done (i32.ge_u (local.get $values) (local.get $end)))
      (local.set $value (i32.load16_u (local.get $values)))
      (i32.store16 (local.get $into) (local.get $value))
      (local.set $into
        (i32.add (local.get $into)
          (i32.shl
            (i32.xor (local.get $unwanted)
              (i32.and (i32.const 1)
                (i32.shr_u
                  (i32.load8_u (i32.add (local.get $words) (i32.shr_u (local.get $value) (i32.const 3))))
                  (i32.and (local.get $value) (i32.const 7)))))
            (i32.const 1))))
      ${advance('$values', 2)}
      (br $each)))
  (i32.shr_u (i32.sub (local.get $into) (local.get $from)) (i32.const 1)))`;

/** Changes the byte of each docId in a set: to what becomes of it and the bit of the docId. */
function marking(name: string, changed: (byte: string, bit: string) => string): string {
  const bit = '(i32.shl (i32.const 1) (i32.and (local.get $value) (i32.const 7)))';
  return `(func (export "${name}") (param $values i32) (param $end i32) (param $words i32)
    (local $value i32) (local $at i32)
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $values) (local.get $end)))
        (local.set $value (i32.load16_u (local.get $values)))
        (local.set $at (i32.add (local.get $words) (i32.shr_u (local.get $value) (i32.const 3))))
        (i32.store8 (local.get $at) ${changed('(i32.load8_u (local.get $at))', bit)})
        ${advance('$values', 2)}
        (br $each))))`;
}

/** Adds 1 to the counter of a number; `second`: among the second counters, see layout.ts. */
function bump(number: string, second: boolean): string {
  const at = `offset=${second ? COUNTERS_BYTES : 0}`;
  return `(local.set $at (i32.add (local.get $counters) (i32.shl ${number} (i32.const 2))))
    (i32.store ${at} (local.get $at) (i32.add (i32.load ${at} (local.get $at)) (i32.const 1)))`;
}

/**
 * For each byte of the set, the eight numbers of the column behind it are shuffled so that those whose bit is
 * set come first, and the next eight are written behind these. What is packed so is counted four at a time,
 * by turns in two rows of counters: neighbours are often of one number, and would wait for each other.
 */
const TALLY_BITS = `(func (export "tallyBits")
  (param $words i32) (param $column i32) (param $counters i32) (param $packed i32)
  (local $end i32) (local $blockEnd i32) (local $byte i32) (local $next i32) (local $last i32)
  (local $lastFour i32) (local $at i32)
  (local.set $end (i32.add (local.get $words) (i32.const ${SET_BYTES})))
  (loop $blocks
    (local.set $blockEnd (i32.add (local.get $words) (i32.const ${PACKED_FROM_BYTES})))
    (local.set $last (local.get $packed))
    (loop $bytes
      ${repeat(
        4,
        (i) => `(local.set $byte (i32.load8_u offset=${i} (local.get $words)))
          (v128.store (local.get $last)
            (i8x16.swizzle
              (v128.load offset=${i * VECTOR_BYTES} (local.get $column))
              (v128.load offset=${SHUFFLES} (i32.shl (local.get $byte) (i32.const 4)))))
          (local.set $last
            (i32.add (local.get $last) (i32.shl (i32.popcnt (local.get $byte)) (i32.const 1))))`,
      )}
      ${advance('$words', 4)}
      ${advance('$column', 4 * VECTOR_BYTES)}
      (br_if $bytes (i32.lt_u (local.get $words) (local.get $blockEnd))))
    (local.set $next (local.get $packed))
    (local.set $lastFour (i32.sub (local.get $last) (i32.const 8)))
    (block $few
      (loop $fours
        (br_if $few (i32.gt_u (local.get $next) (local.get $lastFour)))
        ${repeat(4, (i) => bump(`(i32.load16_u offset=${i * 2} (local.get $next))`, i % 2 === 1))}
        ${advance('$next', 8)}
        (br $fours)))
    (block $none
      (loop $ones
        (br_if $none (i32.ge_u (local.get $next) (local.get $last)))
        ${bump('(i32.load16_u (local.get $next))', false)}
        ${advance('$next', 2)}
        (br $ones)))
    (br_if $blocks (i32.lt_u (local.get $words) (local.get $end)))))`;

/** Two at a time, counted by turns as above; the last of an odd number alone. */
const TALLY_VALUES = `(func (export "tallyValues")
  (param $values i32) (param $end i32) (param $column i32) (param $counters i32)
  (local $at i32) (local $lastTwo i32)
  (local.set $lastTwo (i32.sub (local.get $end) (i32.const 4)))
  (block $few
    (loop $twos
      (br_if $few (i32.gt_u (local.get $values) (local.get $lastTwo)))
      ${repeat(2, (i) => bump(numberAt(i * 2), i === 1))}
      ${advance('$values', 4)}
      (br $twos)))
  (if (i32.lt_u (local.get $values) (local.get $end))
    (then ${bump(numberAt(0), false)})))`;

/** Four at a time; what lies behind the last is nobody's. */
const SUM_COUNTERS = `(func (export "sumCounters") (param $counters i32) (param $end i32)
  (block $none
    (loop $fours
      (br_if $none (i32.ge_u (local.get $counters) (local.get $end)))
      (v128.store (local.get $counters)
        (i32x4.add
          (v128.load (local.get $counters))
          (v128.load offset=${COUNTERS_BYTES} (local.get $counters))))
      ${advance('$counters', VECTOR_BYTES)}
      (br $fours))))`;

/** Of the column, for the docId at `$values` and this many bytes. */
function numberAt(offset: number): string {
  const value = `(i32.load16_u offset=${offset} (local.get $values))`;
  return `(i32.load16_u (i32.add (local.get $column) (i32.shl ${value} (i32.const 1))))`;
}
