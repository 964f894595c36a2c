import type { Block } from './sentences.ts'

/** The number of neighbours in each direction that a similarity is ranked among (C99). */
const RANK_RADIUS = 11
/** A stem in more blocks than this says nothing about topics. */
const MAX_SHARE = 0.5
const MIN_BLOCKS_FOR_SHARE = 8

/** A square matrix, row by row. */
export type Matrix = { size: number; values: Float64Array }

const cell = ({ size, values }: Matrix, i: number, j: number): number => values[i * size + j] ?? 0

/**
 * Returns the similarity of each pair of blocks, from 0 to 1: the cosine of their tf-idf vectors, ranked among
 * neighboring pairs, because the cosine of short texts has no scale (Choi, "Advances in domain independent linear
 * text segmentation").
 */
export function rankSimilarities(blocks: readonly Block[]): Matrix {
	return rank(similarities(blocks))
}

/** Sums over the blocks that share a stem, so the many pairs without common stems cost nothing. */
function similarities(blocks: readonly Block[]): Matrix {
	const size = blocks.length
	const values = new Float64Array(size * size)
	const norms = new Float64Array(size)
	for (const postings of postingsOf(blocks).values()) {
		const isCommon = size >= MIN_BLOCKS_FOR_SHARE && postings.length > size * MAX_SHARE
		if (isCommon) continue
		const idf = Math.log((size + 1) / postings.length)
		for (const [i, count] of postings) {
			const weight = Math.log(1 + count) * idf
			norms[i] = (norms[i] ?? 0) + weight * weight
			for (const [j, other] of postings) {
				if (j >= i) break
				const product = weight * Math.log(1 + other) * idf
				values[i * size + j] = (values[i * size + j] ?? 0) + product
			}
		}
	}
	for (let i = 0; i < size; i++) {
		values[i * size + i] = 1
		for (let j = 0; j < i; j++) {
			const norm = Math.sqrt((norms[i] ?? 0) * (norms[j] ?? 0))
			const cosine = norm === 0 ? 0 : (values[i * size + j] ?? 0) / norm
			values[i * size + j] = cosine
			values[j * size + i] = cosine
		}
	}
	return { size, values }
}

function postingsOf(blocks: readonly Block[]): Map<string, [block: number, count: number][]> {
	const postings = new Map<string, [number, number][]>()
	for (const [at, { stems }] of blocks.entries())
		for (const [stem, count] of stems) {
			const list = postings.get(stem)
			if (list) list.push([at, count])
			else postings.set(stem, [[at, count]])
		}
	return postings
}

/** Replaces each value by the share of its neighbours that are smaller; of equal ones, half count. */
function rank(matrix: Matrix): Matrix {
	const { size } = matrix
	const values = new Float64Array(size * size)
	for (let i = 0; i < size; i++)
		for (let j = 0; j <= i; j++) {
			const own = cell(matrix, i, j)
			let smaller = 0
			let seen = 0
			for (let k = Math.max(0, i - RANK_RADIUS); k <= Math.min(size - 1, i + RANK_RADIUS); k++)
				for (let l = Math.max(0, j - RANK_RADIUS); l <= Math.min(size - 1, j + RANK_RADIUS); l++) {
					if (k === l || (k === i && l === j)) continue
					seen++
					const other = cell(matrix, k, l)
					if (other < own) smaller++
					else if (other === own) smaller += 0.5
				}
			const share = seen === 0 ? 0.5 : smaller / seen
			values[i * size + j] = share
			values[j * size + i] = share
		}
	return { size, values }
}
