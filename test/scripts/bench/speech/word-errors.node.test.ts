import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wordErrorRate, wordsOf } from '../../../../scripts/bench/speech/word-errors.ts'
import { needs } from '../../../support/shared/needs.ts'
import { chooserFrom } from '../../../support/shared/random.ts'

const SCLITE = '/usr/lib/sctk/bin/sclite'

test.each([
	['the same text', 'Mix the flour.', 'mix the flour', 0],
	['a replaced word', 'mix the flour', 'mix a flour', 1 / 3],
	['an inserted word', 'mix the flour', 'mix up the flour', 1 / 3],
	['a missing word', 'mix the flour', 'the flour', 1 / 3],
	['silence', 'mix the flour', '', 1],
	['a longer invention', 'yes', 'so it is', 3],
])('scores %s', (_, said, heard, rate) => expect(wordErrorRate(said, heard)).toBeCloseTo(rate))

test('agrees with sclite about random texts', needs({ sclite: existsSync(SCLITE) }), async () => {
	const dir = await mkdtemp(join(tmpdir(), 'playhouse-words-'))
	try {
		const { one, below } = chooserFrom(7)
		const text = (length: number) =>
			Array.from({ length }, () => one(['ba', 'be', 'bi', 'bo', 'bu', 'by'])).join(' ')
		const pairs = Array.from({ length: 40 }, () => ({ said: text(1 + below(12)), heard: text(below(14)) }))
		for (const side of ['said', 'heard'] as const)
			await writeFile(join(dir, side), pairs.map((pair, at) => `${pair[side]} (a_${at})\n`).join(''))
		const args = [
			'-r',
			join(dir, 'said'),
			'trn',
			'-h',
			join(dir, 'heard'),
			'trn',
			'-i',
			'rm',
			'-o',
			'pralign',
			'stdout',
		]
		const report = execFileSync(SCLITE, args, { encoding: 'utf8', cwd: dir })
		const scores = [...report.matchAll(/id: \(a_(\d+)\)\s+Scores: \(#C #S #D #I\) \d+ (\d+) (\d+) (\d+)/g)]
		expect(scores).toHaveLength(pairs.length)
		for (const [, at, ...errors] of scores) {
			const { said = '', heard = '' } = pairs[Number(at)] ?? {}
			const total = errors.reduce((sum, count) => sum + Number(count), 0)
			// sclite prefers alignments by weights of its own, so it may count one error more.
			expect(total - wordErrorRate(said, heard) * wordsOf(said).length).toBeLessThan(1.5)
			expect(total - wordErrorRate(said, heard) * wordsOf(said).length).toBeGreaterThan(-0.001)
		}
	} finally {
		await rm(dir, { recursive: true, force: true })
	}
})
