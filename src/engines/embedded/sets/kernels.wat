;; Loops over sets and columns with 128 bits at a time. kernels.ts says what each does, and kernels.ts
;; does the same. `npm run kernels` assembles this text into kernels.wasm.
;;
;; Addresses are in bytes, in the one memory. Three numbers are those of kernels.ts: a set has 8192 bytes
;; (SET_BYTES), the shuffles lie at 0 (SHUFFLES), and the second row of counters lies 262144 bytes behind the first
;; (COUNTERS_BYTES).

(module
  (import "kernels" "memory" (memory 1))

  ;; Writes the docIds that are in both sets. Counts them: by bytes within a block of 16 vectors (16 times 8 bits are
  ;; 128, which a byte can say), in lanes of 16 bits over all blocks (at most 32 * 2 * 128), then in four lanes of 32.
  (func (export "intersect") (param $a i32) (param $b i32) (param $into i32) (result i32)
    (local $end i32) (local $word v128) (local $bytes v128) (local $sum v128)
    (local.set $end (i32.add (local.get $a) (i32.const 8192)))
    (loop $blocks
      (local.set $word (v128.and (v128.load (local.get $a)) (v128.load (local.get $b))))
      (v128.store (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.popcnt (local.get $word)))
      (local.set $word (v128.and (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b))))
      (v128.store offset=16 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=32 (local.get $a)) (v128.load offset=32 (local.get $b))))
      (v128.store offset=32 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=48 (local.get $a)) (v128.load offset=48 (local.get $b))))
      (v128.store offset=48 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=64 (local.get $a)) (v128.load offset=64 (local.get $b))))
      (v128.store offset=64 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=80 (local.get $a)) (v128.load offset=80 (local.get $b))))
      (v128.store offset=80 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=96 (local.get $a)) (v128.load offset=96 (local.get $b))))
      (v128.store offset=96 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=112 (local.get $a)) (v128.load offset=112 (local.get $b))))
      (v128.store offset=112 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=128 (local.get $a)) (v128.load offset=128 (local.get $b))))
      (v128.store offset=128 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=144 (local.get $a)) (v128.load offset=144 (local.get $b))))
      (v128.store offset=144 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=160 (local.get $a)) (v128.load offset=160 (local.get $b))))
      (v128.store offset=160 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=176 (local.get $a)) (v128.load offset=176 (local.get $b))))
      (v128.store offset=176 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=192 (local.get $a)) (v128.load offset=192 (local.get $b))))
      (v128.store offset=192 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=208 (local.get $a)) (v128.load offset=208 (local.get $b))))
      (v128.store offset=208 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=224 (local.get $a)) (v128.load offset=224 (local.get $b))))
      (v128.store offset=224 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.and (v128.load offset=240 (local.get $a)) (v128.load offset=240 (local.get $b))))
      (v128.store offset=240 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $sum (i16x8.add (local.get $sum) (i16x8.extadd_pairwise_i8x16_u (local.get $bytes))))
      (local.set $a (i32.add (local.get $a) (i32.const 256)))
      (local.set $b (i32.add (local.get $b) (i32.const 256)))
      (local.set $into (i32.add (local.get $into) (i32.const 256)))
      (br_if $blocks (i32.lt_u (local.get $a) (local.get $end))))
    (local.set $sum (i32x4.extadd_pairwise_i16x8_u (local.get $sum)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
      (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))

  ;; The same for the docIds that are in $a and not in $b.
  (func (export "subtract") (param $a i32) (param $b i32) (param $into i32) (result i32)
    (local $end i32) (local $word v128) (local $bytes v128) (local $sum v128)
    (local.set $end (i32.add (local.get $a) (i32.const 8192)))
    (loop $blocks
      (local.set $word (v128.andnot (v128.load (local.get $a)) (v128.load (local.get $b))))
      (v128.store (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.popcnt (local.get $word)))
      (local.set $word (v128.andnot (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b))))
      (v128.store offset=16 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=32 (local.get $a)) (v128.load offset=32 (local.get $b))))
      (v128.store offset=32 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=48 (local.get $a)) (v128.load offset=48 (local.get $b))))
      (v128.store offset=48 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=64 (local.get $a)) (v128.load offset=64 (local.get $b))))
      (v128.store offset=64 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=80 (local.get $a)) (v128.load offset=80 (local.get $b))))
      (v128.store offset=80 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=96 (local.get $a)) (v128.load offset=96 (local.get $b))))
      (v128.store offset=96 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=112 (local.get $a)) (v128.load offset=112 (local.get $b))))
      (v128.store offset=112 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=128 (local.get $a)) (v128.load offset=128 (local.get $b))))
      (v128.store offset=128 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=144 (local.get $a)) (v128.load offset=144 (local.get $b))))
      (v128.store offset=144 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=160 (local.get $a)) (v128.load offset=160 (local.get $b))))
      (v128.store offset=160 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=176 (local.get $a)) (v128.load offset=176 (local.get $b))))
      (v128.store offset=176 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=192 (local.get $a)) (v128.load offset=192 (local.get $b))))
      (v128.store offset=192 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=208 (local.get $a)) (v128.load offset=208 (local.get $b))))
      (v128.store offset=208 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=224 (local.get $a)) (v128.load offset=224 (local.get $b))))
      (v128.store offset=224 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.andnot (v128.load offset=240 (local.get $a)) (v128.load offset=240 (local.get $b))))
      (v128.store offset=240 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $sum (i16x8.add (local.get $sum) (i16x8.extadd_pairwise_i8x16_u (local.get $bytes))))
      (local.set $a (i32.add (local.get $a) (i32.const 256)))
      (local.set $b (i32.add (local.get $b) (i32.const 256)))
      (local.set $into (i32.add (local.get $into) (i32.const 256)))
      (br_if $blocks (i32.lt_u (local.get $a) (local.get $end))))
    (local.set $sum (i32x4.extadd_pairwise_i16x8_u (local.get $sum)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
      (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))

  ;; The same for the docIds that are in either.
  (func (export "unite") (param $a i32) (param $b i32) (param $into i32) (result i32)
    (local $end i32) (local $word v128) (local $bytes v128) (local $sum v128)
    (local.set $end (i32.add (local.get $a) (i32.const 8192)))
    (loop $blocks
      (local.set $word (v128.or (v128.load (local.get $a)) (v128.load (local.get $b))))
      (v128.store (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.popcnt (local.get $word)))
      (local.set $word (v128.or (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b))))
      (v128.store offset=16 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=32 (local.get $a)) (v128.load offset=32 (local.get $b))))
      (v128.store offset=32 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=48 (local.get $a)) (v128.load offset=48 (local.get $b))))
      (v128.store offset=48 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=64 (local.get $a)) (v128.load offset=64 (local.get $b))))
      (v128.store offset=64 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=80 (local.get $a)) (v128.load offset=80 (local.get $b))))
      (v128.store offset=80 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=96 (local.get $a)) (v128.load offset=96 (local.get $b))))
      (v128.store offset=96 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=112 (local.get $a)) (v128.load offset=112 (local.get $b))))
      (v128.store offset=112 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=128 (local.get $a)) (v128.load offset=128 (local.get $b))))
      (v128.store offset=128 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=144 (local.get $a)) (v128.load offset=144 (local.get $b))))
      (v128.store offset=144 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=160 (local.get $a)) (v128.load offset=160 (local.get $b))))
      (v128.store offset=160 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=176 (local.get $a)) (v128.load offset=176 (local.get $b))))
      (v128.store offset=176 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=192 (local.get $a)) (v128.load offset=192 (local.get $b))))
      (v128.store offset=192 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=208 (local.get $a)) (v128.load offset=208 (local.get $b))))
      (v128.store offset=208 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=224 (local.get $a)) (v128.load offset=224 (local.get $b))))
      (v128.store offset=224 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $word (v128.or (v128.load offset=240 (local.get $a)) (v128.load offset=240 (local.get $b))))
      (v128.store offset=240 (local.get $into) (local.get $word))
      (local.set $bytes (i8x16.add (local.get $bytes) (i8x16.popcnt (local.get $word))))
      (local.set $sum (i16x8.add (local.get $sum) (i16x8.extadd_pairwise_i8x16_u (local.get $bytes))))
      (local.set $a (i32.add (local.get $a) (i32.const 256)))
      (local.set $b (i32.add (local.get $b) (i32.const 256)))
      (local.set $into (i32.add (local.get $into) (i32.const 256)))
      (br_if $blocks (i32.lt_u (local.get $a) (local.get $end))))
    (local.set $sum (i32x4.extadd_pairwise_i16x8_u (local.get $sum)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
      (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))

  ;; Counts four words at a time, of a set at the most: lanes of 16 bits come to 512 * 16. Counts the last one by one.
  (func (export "popcount") (param $words i32) (param $end i32) (result i32)
    (local $lastFour i32) (local $few i32) (local $sum v128)
    (local.set $lastFour (i32.sub (local.get $end) (i32.const 16)))
    (block $fewer
      (loop $fours
        (br_if $fewer (i32.gt_u (local.get $words) (local.get $lastFour)))
        (local.set $sum
          (i16x8.add (local.get $sum)
            (i16x8.extadd_pairwise_i8x16_u (i8x16.popcnt (v128.load (local.get $words))))))
        (local.set $words (i32.add (local.get $words) (i32.const 16)))
        (br $fours)))
    (block $none
      (loop $ones
        (br_if $none (i32.ge_u (local.get $words) (local.get $end)))
        (local.set $few (i32.add (local.get $few) (i32.popcnt (i32.load (local.get $words)))))
        (local.set $words (i32.add (local.get $words) (i32.const 4)))
        (br $ones)))
    (local.set $sum (i32x4.extadd_pairwise_i16x8_u (local.get $sum)))
    (i32.add (local.get $few)
      (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
        (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum))))))

  ;; Reads 64 bits at a time. Most have few that are set.
  (func (export "members") (param $words i32) (param $into i32) (result i32)
    (local $from i32) (local $base i32) (local $left i64)
    (local.set $from (local.get $into))
    (loop $each
      (local.set $left (i64.load (local.get $words)))
      (block $none
        (br_if $none (i64.eqz (local.get $left)))
        (loop $bits
          (i32.store16 (local.get $into) (i32.add (local.get $base) (i32.wrap_i64 (i64.ctz (local.get $left)))))
          (local.set $into (i32.add (local.get $into) (i32.const 2)))
          (local.set $left (i64.and (local.get $left) (i64.sub (local.get $left) (i64.const 1))))
          (br_if $bits (i32.eqz (i64.eqz (local.get $left))))))
      (local.set $words (i32.add (local.get $words) (i32.const 8)))
      (local.set $base (i32.add (local.get $base) (i32.const 64)))
      (br_if $each (i32.lt_u (local.get $base) (i32.const 65536))))
    (i32.shr_u (i32.sub (local.get $into) (local.get $from)) (i32.const 1)))

  ;; Writes every value, but moves the end only for those that are kept: there is no branch to mispredict.
  (func (export "keep")
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
        (local.set $values (i32.add (local.get $values) (i32.const 2)))
        (br $each)))
    (i32.shr_u (i32.sub (local.get $into) (local.get $from)) (i32.const 1)))

  ;; Of two ascending lists, writes what $a has and $b has too, or has not ($unwanted 1). Compares eight with eight
  ;; numbers, each with each, and goes on behind those that end first (Schlegel et al., "Fast Sorted-Set Intersection
  ;; using SIMD Instructions", 2011); the last ones one by one. $found: which of the eight of $a have been found in $b.
  ;; Writes up to 14 bytes behind the end.
  (func (export "keepListed")
    (param $a i32) (param $aEnd i32) (param $b i32) (param $bEnd i32) (param $unwanted i32) (param $into i32)
    (result i32)
    (local $from i32) (local $one i32) (local $other i32) (local $found i32) (local $kept i32) (local $isOver i32)
    (local $x v128) (local $y v128)
    (local.set $from (local.get $into))
    (local.set $other (i32.const -1))
    (block $few
      (loop $eights
        (br_if $few (i32.gt_u (i32.add (local.get $a) (i32.const 16)) (local.get $aEnd)))
        (br_if $few (i32.gt_u (i32.add (local.get $b) (i32.const 16)) (local.get $bEnd)))
        (local.set $x (v128.load (local.get $a)))
        (local.set $y (v128.load (local.get $b)))
        (local.set $found
          (i32.or (local.get $found)
            (i16x8.bitmask
              (v128.or
                (v128.or
                  (v128.or
                    (i16x8.eq (local.get $x) (local.get $y))
                    (i16x8.eq (local.get $x) (i8x16.shuffle 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 (local.get $y) (local.get $y))))
                  (v128.or
                    (i16x8.eq (local.get $x) (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $y) (local.get $y)))
                    (i16x8.eq (local.get $x) (i8x16.shuffle 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 (local.get $y) (local.get $y)))))
                (v128.or
                  (v128.or
                    (i16x8.eq (local.get $x) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $y) (local.get $y)))
                    (i16x8.eq (local.get $x) (i8x16.shuffle 10 11 12 13 14 15 0 1 2 3 4 5 6 7 8 9 (local.get $y) (local.get $y))))
                  (v128.or
                    (i16x8.eq (local.get $x) (i8x16.shuffle 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 (local.get $y) (local.get $y)))
                    (i16x8.eq (local.get $x) (i8x16.shuffle 14 15 0 1 2 3 4 5 6 7 8 9 10 11 12 13 (local.get $y) (local.get $y)))))))))
        (local.set $kept
          (i32.xor (local.get $found) (i32.and (i32.sub (i32.const 0) (local.get $unwanted)) (i32.const 255))))
        (v128.store (local.get $into)
          (i8x16.swizzle (local.get $x) (v128.load (i32.shl (local.get $kept) (i32.const 4)))))
        (local.set $one (i32.load16_u offset=14 (local.get $a)))
        (local.set $other (i32.load16_u offset=14 (local.get $b)))
        (local.set $isOver (i32.le_u (local.get $one) (local.get $other)))
        (local.set $into
          (i32.add (local.get $into)
            (i32.shl (i32.mul (local.get $isOver) (i32.popcnt (local.get $kept))) (i32.const 1))))
        (local.set $found (i32.and (local.get $found) (i32.sub (local.get $isOver) (i32.const 1))))
        (local.set $a (i32.add (local.get $a) (i32.shl (local.get $isOver) (i32.const 4))))
        (local.set $b
          (i32.add (local.get $b) (i32.shl (i32.le_u (local.get $other) (local.get $one)) (i32.const 4))))
        (br $eights)))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $a) (local.get $aEnd)))
        (br_if $done
          (i32.and
            (i32.ge_u (local.get $b) (local.get $bEnd))
            (i32.eqz (i32.or (local.get $unwanted) (local.get $found)))))
        (local.set $one (i32.load16_u (local.get $a)))
        (block $there
          (loop $before
            (br_if $there (i32.ge_u (local.get $b) (local.get $bEnd)))
            (local.set $other (i32.load16_u (local.get $b)))
            (br_if $there (i32.ge_u (local.get $other) (local.get $one)))
            (local.set $b (i32.add (local.get $b) (i32.const 2)))
            (br $before)))
        (i32.store16 (local.get $into) (local.get $one))
        (local.set $into
          (i32.add (local.get $into)
            (i32.shl
              (i32.xor (local.get $unwanted)
                (i32.or
                  (i32.and (local.get $found) (i32.const 1))
                  (i32.eq (local.get $one) (local.get $other))))
              (i32.const 1))))
        (local.set $found (i32.shr_u (local.get $found) (i32.const 1)))
        (local.set $a (i32.add (local.get $a) (i32.const 2)))
        (br $each)))
    (i32.shr_u (i32.sub (local.get $into) (local.get $from)) (i32.const 1)))

  ;; Sets the bit of each value.
  (func (export "mark") (param $values i32) (param $end i32) (param $words i32)
    (local $value i32) (local $at i32)
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $values) (local.get $end)))
        (local.set $value (i32.load16_u (local.get $values)))
        (local.set $at (i32.add (local.get $words) (i32.shr_u (local.get $value) (i32.const 3))))
        (i32.store8 (local.get $at)
          (i32.or (i32.load8_u (local.get $at))
            (i32.shl (i32.const 1) (i32.and (local.get $value) (i32.const 7)))))
        (local.set $values (i32.add (local.get $values) (i32.const 2)))
        (br $each))))

  ;; For each byte of the set, shuffles the eight numbers of the column behind it so that those whose bit is set come
  ;; first; the next eight are written behind these. Packs 256 bytes of the set so, at most 4 KB, which stay in the
  ;; nearest cache. Then counts four of the packed numbers at a time, by turns in the two rows of counters:
  ;; neighbours are often equal, and would wait for each other.
  (func (export "tallyBits") (param $words i32) (param $column i32) (param $counters i32) (param $packed i32)
    (local $end i32) (local $blockEnd i32) (local $byte i32) (local $next i32) (local $last i32)
    (local $lastFour i32) (local $at i32)
    (local.set $end (i32.add (local.get $words) (i32.const 8192)))
    (loop $blocks
      (local.set $blockEnd (i32.add (local.get $words) (i32.const 256)))
      (local.set $last (local.get $packed))
      (loop $bytes
        (local.set $byte (i32.load8_u (local.get $words)))
        (v128.store (local.get $last)
          (i8x16.swizzle (v128.load (local.get $column)) (v128.load (i32.shl (local.get $byte) (i32.const 4)))))
        (local.set $last (i32.add (local.get $last) (i32.shl (i32.popcnt (local.get $byte)) (i32.const 1))))
        (local.set $byte (i32.load8_u offset=1 (local.get $words)))
        (v128.store (local.get $last)
          (i8x16.swizzle
            (v128.load offset=16 (local.get $column))
            (v128.load (i32.shl (local.get $byte) (i32.const 4)))))
        (local.set $last (i32.add (local.get $last) (i32.shl (i32.popcnt (local.get $byte)) (i32.const 1))))
        (local.set $byte (i32.load8_u offset=2 (local.get $words)))
        (v128.store (local.get $last)
          (i8x16.swizzle
            (v128.load offset=32 (local.get $column))
            (v128.load (i32.shl (local.get $byte) (i32.const 4)))))
        (local.set $last (i32.add (local.get $last) (i32.shl (i32.popcnt (local.get $byte)) (i32.const 1))))
        (local.set $byte (i32.load8_u offset=3 (local.get $words)))
        (v128.store (local.get $last)
          (i8x16.swizzle
            (v128.load offset=48 (local.get $column))
            (v128.load (i32.shl (local.get $byte) (i32.const 4)))))
        (local.set $last (i32.add (local.get $last) (i32.shl (i32.popcnt (local.get $byte)) (i32.const 1))))
        (local.set $words (i32.add (local.get $words) (i32.const 4)))
        (local.set $column (i32.add (local.get $column) (i32.const 64)))
        (br_if $bytes (i32.lt_u (local.get $words) (local.get $blockEnd))))
      (local.set $next (local.get $packed))
      (local.set $lastFour (i32.sub (local.get $last) (i32.const 8)))
      (block $few
        (loop $fours
          (br_if $few (i32.gt_u (local.get $next) (local.get $lastFour)))
          (local.set $at
            (i32.add (local.get $counters) (i32.shl (i32.load16_u (local.get $next)) (i32.const 2))))
          (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
          (local.set $at
            (i32.add (local.get $counters) (i32.shl (i32.load16_u offset=2 (local.get $next)) (i32.const 2))))
          (i32.store offset=262144 (local.get $at)
            (i32.add (i32.load offset=262144 (local.get $at)) (i32.const 1)))
          (local.set $at
            (i32.add (local.get $counters) (i32.shl (i32.load16_u offset=4 (local.get $next)) (i32.const 2))))
          (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
          (local.set $at
            (i32.add (local.get $counters) (i32.shl (i32.load16_u offset=6 (local.get $next)) (i32.const 2))))
          (i32.store offset=262144 (local.get $at)
            (i32.add (i32.load offset=262144 (local.get $at)) (i32.const 1)))
          (local.set $next (i32.add (local.get $next) (i32.const 8)))
          (br $fours)))
      (block $none
        (loop $ones
          (br_if $none (i32.ge_u (local.get $next) (local.get $last)))
          (local.set $at
            (i32.add (local.get $counters) (i32.shl (i32.load16_u (local.get $next)) (i32.const 2))))
          (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
          (local.set $next (i32.add (local.get $next) (i32.const 2)))
          (br $ones)))
      (br_if $blocks (i32.lt_u (local.get $words) (local.get $end)))))

  ;; Counts two at a time, by turns as above; the last of an odd number alone.
  (func (export "tallyValues") (param $values i32) (param $end i32) (param $column i32) (param $counters i32)
    (local $at i32) (local $lastTwo i32)
    (local.set $lastTwo (i32.sub (local.get $end) (i32.const 4)))
    (block $few
      (loop $twos
        (br_if $few (i32.gt_u (local.get $values) (local.get $lastTwo)))
        (local.set $at
          (i32.add (local.get $counters)
            (i32.shl
              (i32.load16_u
                (i32.add (local.get $column) (i32.shl (i32.load16_u (local.get $values)) (i32.const 1))))
              (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $at
          (i32.add (local.get $counters)
            (i32.shl
              (i32.load16_u
                (i32.add (local.get $column)
                  (i32.shl (i32.load16_u offset=2 (local.get $values)) (i32.const 1))))
              (i32.const 2))))
        (i32.store offset=262144 (local.get $at)
          (i32.add (i32.load offset=262144 (local.get $at)) (i32.const 1)))
        (local.set $values (i32.add (local.get $values) (i32.const 4)))
        (br $twos)))
    (if (i32.lt_u (local.get $values) (local.get $end))
      (then
        (local.set $at
          (i32.add (local.get $counters)
            (i32.shl
              (i32.load16_u
                (i32.add (local.get $column) (i32.shl (i32.load16_u (local.get $values)) (i32.const 1))))
              (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1))))))

  ;; Adds four at a time; nobody reads what lies behind the last.
  (func (export "sumCounters") (param $counters i32) (param $end i32)
    (block $none
      (loop $fours
        (br_if $none (i32.ge_u (local.get $counters) (local.get $end)))
        (v128.store (local.get $counters)
          (i32x4.add (v128.load (local.get $counters)) (v128.load offset=262144 (local.get $counters))))
        (local.set $counters (i32.add (local.get $counters) (i32.const 16)))
        (br $fours)))))
