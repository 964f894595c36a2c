import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { segmentVideo } from '../../../../edge/ai/chapters/segmentation/segmentation.ts'
import {
	groupIntoBlocks,
	MAX_BLOCKS,
	splitIntoSentences,
} from '../../../../edge/ai/chapters/segmentation/sentences.ts'
import { compareMethods, mixScripts, shuffle } from '../../../../scripts/bench/chapters/compare.ts'
import { readScript, readSpokenScripts, speak } from '../../../../scripts/bench/chapters/spoken-scripts.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

const script = (name: string) => readSpokenScripts().find((script) => script.name === name) ?? never(name)
const never = (name: string): never => {
	throw new Error(`no script ${name}`)
}
const startsOf = (chapters: readonly { startTime: number }[]) => chapters.map(({ startTime }) => startTime)
const silence: Pick<Transcript, 'segments' | 'language'> = { language: null, segments: [] }

describe('chapters without a model', () => {
	test.each([
		['the scripts', readSpokenScripts()],
		['the scripts without longer pauses between topics', readSpokenScripts(0.45)],
		['other orders of their topics', mixScripts(12)],
	])('chapters without a model are closer to the true ones than every baseline in %s', (_, scripts) => {
		const { ours, ...baselines } = compareMethods(scripts)
		for (const [name, scores] of Object.entries(baselines)) {
			expect(ours?.pk, name).toBeLessThan(scores.pk)
			expect(ours?.windowDiff, name).toBeLessThan(scores.windowDiff)
			expect(ours?.f1, name).toBeGreaterThan(scores.f1)
		}
	})

	test('chapters without a model begin with the first sentence of each topic', () => {
		const { truth, ...talk } = script('kitchen-de')
		const chapters = segmentVideo(talk)
		expect(chapters.length).toBe(3)
		for (const [at, time] of truth.entries())
			expect(Math.abs((chapters[at + 1]?.startTime ?? 0) - time)).toBeLessThan(0.2)
	})

	test('sentences in random order yield no chapters', () => {
		const sentences = ['three-topics', 'lecture', 'interview']
			.flatMap((name) => readScript(name).split(/(?<=[.?!])\s+/))
			.filter(Boolean)
		for (const seed of [1, 2, 3]) {
			const text = shuffle(sentences.length, seed)
				.slice(0, 50)
				.map((at) => sentences[at])
				.join(' ')
			expect(segmentVideo(speak('mixed', text, 'en'))).toEqual([])
		}
	})

	test('a video of less than two minutes gets no chapters', () => {
		const talk = script('three-topics')
		expect(segmentVideo({ ...talk, durationSec: 119.9 })).toEqual([])
		expect(segmentVideo({ ...talk, durationSec: 150 }).length).toBeGreaterThan(1)
	})

	test('each chapter without a model lists the evidence for it', () => {
		const [first, ...others] = segmentVideo(script('kitchen-de'))
		expect(first?.reasons).toEqual({ words: 0, pauseSec: 0, isAnnounced: false, isShotCut: false })
		for (const { reasons } of others) {
			expect(reasons.words).toBeGreaterThan(0)
			expect(reasons.pauseSec).toBeCloseTo(1.1)
		}
	})

	test('chapters without a model begin at a shot change within the pause', () => {
		const talk = script('kitchen-de')
		const shot = (talk.truth[0] ?? 0) - 0.4
		const [, second] = segmentVideo({ ...talk, shots: [shot, shot + 10] })
		expect(second).toMatchObject({
			startTime: Math.round(shot * 1_000) / 1_000,
			reasons: { isShotCut: true },
		})
	})

	test('chapters without a model report whether their first sentence announces a topic', () => {
		const text = readScript('kitchen-de').replace('Im Garten ist', 'Kommen wir nun zum Garten. Dort ist')
		expect(segmentVideo(speak('announced', text, 'de'))[1]?.reasons.isAnnounced).toBe(true)
	})

	test('chapters without a model have titles from their own words, as spoken', () => {
		const chapters = segmentVideo(script('interview'))
		expect(chapters.map(({ title }) => title)).toContain('Lighthouse keeper')
	})

	test('chapters are found in text without spaces between words', () => {
		const talk = speak('ja', readScript('market-ja').replaceAll('。', '。 '), 'ja')
		const slow = {
			...talk.transcript,
			segments: talk.transcript.segments.map((segment) => stretch(segment, 4)),
		}
		const chapters = segmentVideo({ transcript: slow, durationSec: talk.durationSec * 4 })
		expect(chapters.length).toBe(2)
		expect(Math.abs((chapters[1]?.startTime ?? 0) - (talk.truth[0] ?? 0) * 4)).toBeLessThan(5)
		expect(chapters[0]?.title).toMatch(/魚|市場/)
		expect(chapters[1]?.title).toMatch(/電車|駅/)
	})

	test('chapters of a silent video are its long shots, each with the short ones after it', () => {
		const divide = (shots: number[], language: string | null = null) =>
			segmentVideo({ transcript: { ...silence, language }, durationSec: 600, shots })
		const chapters = divide([5, 200, 203, 206, 400])
		expect(startsOf(chapters)).toEqual([0, 206, 400])
		expect(chapters.map(({ title }) => title)).toEqual(['Part 1', 'Part 2', 'Part 3'])
		expect(divide([300], 'de-de').map(({ title }) => title)).toEqual(['Teil 1', 'Teil 2'])
		expect(divide([300], 'ja').map(({ title }) => title)).toEqual(['1', '2'])
	})

	test('a silent video without clear parts gets no chapters', () => {
		const divide = (shots: number[]) => segmentVideo({ transcript: silence, durationSec: 600, shots })
		expect(divide([])).toEqual([])
		const fast = Array.from({ length: 120 }, (_, at) => at * 5 + 3)
		expect(divide(fast)).toEqual([])
		expect(divide(fast.filter((at) => at < 300))).toEqual([])
		expect(divide(Array.from({ length: 24 }, (_, at) => at * 25))).toEqual([])
	})

	test('segmentation compares a bounded number of blocks in ten hours of speech, and finds few chapters', () => {
		const paragraphs = ['three-topics', 'lecture', 'interview'].flatMap((name) =>
			readScript(name).trim().split(/\n\n+/),
		)
		const text = paragraphs
			.map((paragraph) => Array.from({ length: 75 }, () => paragraph.trim()).join(' '))
			.join('\n\n')
		const talk = speak('long', text, 'en')
		const sentences = splitIntoSentences(talk.transcript)
		expect(talk.durationSec).toBeGreaterThan(10 * 3_600)
		expect(sentences.reduce((sum, { words }) => sum + words.length, 0)).toBeGreaterThan(75_000)
		expect(groupIntoBlocks(sentences).length).toBeLessThanOrEqual(MAX_BLOCKS)
		const chapters = segmentVideo(talk)
		expect(chapters.length).toBeGreaterThanOrEqual(10)
		expect(chapters.length).toBeLessThanOrEqual(60)
	})

	test('segmentation compares a bounded number of blocks if all words have zero duration', () => {
		const words = Array.from({ length: 3_000 }, (_, at) => ({ word: `word${at}.`, start: 1, end: 1 }))
		const text = words.map(({ word }) => word).join(' ')
		const segments = [{ id: 0, start: 1, end: 1.001, text, words }]
		const sentences = splitIntoSentences({ segments, language: 'en' })
		expect(sentences.length).toBe(3_000)
		expect(groupIntoBlocks(sentences).length).toBeLessThanOrEqual(MAX_BLOCKS)
	})

	test('chapters are in order, within the video and titled for any speech', () => {
		const topics = [
			['bread', 'flour', 'oven.', 'dough', 'yeast', 'crust', 'the', 'loaf.'],
			['chain', 'pedal', 'wheel.', 'brake', 'tyre', 'the', 'saddle.', 'next'],
			['moon', 'planet', 'x?', 'orbit', 'comet.', '電車。', 'star', 'crater.'],
		]
		const segment = fc.record({
			gap: fc.nat(9),
			length: fc.integer({ min: 1, max: 20 }),
			words: fc.array(fc.nat(7), { minLength: 1, maxLength: 12 }),
		})
		const input = fc.record({
			/** One topic after another. */
			segments: fc.array(fc.array(segment, { maxLength: 40 }), { minLength: 3, maxLength: 3 }).map((parts) =>
				parts.flatMap((part, topic) =>
					part.map(({ words, ...times }) => ({
						...times,
						words: words.map((at) => topics[topic]?.[at] ?? 'word'),
					})),
				),
			),
			extra: fc.nat(300),
			shots: fc.array(fc.nat(900), { maxLength: 20 }),
		})
		let fromSpeech = 0
		fc.assert(
			fc.property(input, ({ segments, extra, shots }) => {
				let at = 0
				const spoken = segments.map(({ gap, length, words }, id) => {
					const start = at + gap
					at = start + length
					const step = length / words.length
					const times = words.map((word, index) => ({
						word,
						start: start + index * step,
						end: start + (index + 1) * step,
					}))
					return { id, start, end: at, text: words.join(' '), words: times }
				})
				const durationSec = at + extra
				const sorted = [...shots].sort((a, b) => a - b)
				const chapters = segmentVideo({
					transcript: { language: 'en', segments: spoken },
					durationSec,
					shots: sorted,
				})
				if (chapters.length === 0) return
				if (chapters.every(({ title }) => !/^Part \d+$/.test(title))) fromSpeech++
				expect(chapters.length).toBeGreaterThan(1)
				expect(chapters[0]?.startTime).toBe(0)
				expect(chapters.at(-1)?.endTime).toBeCloseTo(durationSec, 3)
				for (const [index, { title, startTime, endTime }] of chapters.entries()) {
					expect(title.trim()).not.toBe('')
					expect(title).not.toMatch(/\n/)
					expect(endTime - startTime).toBeGreaterThanOrEqual(20)
					if (index > 0) expect(startTime).toBe(chapters[index - 1]?.endTime)
				}
				expect(new Set(chapters.map(({ title }) => title)).size).toBe(chapters.length)
			}),
			{ numRuns: propertyRuns(60) },
		)
		expect(fromSpeech).toBeGreaterThan(10)
	})
})

function stretch<S extends Transcript['segments'][number]>(segment: S, factor: number): S {
	const longer = <Span extends { start: number; end: number }>(span: Span): Span => ({
		...span,
		start: span.start * factor,
		end: span.end * factor,
	})
	return { ...longer(segment), words: segment.words.map(longer) }
}
