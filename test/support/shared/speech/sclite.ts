import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SCLITE = '/usr/lib/sctk/bin/sclite'

/** Whether Debian's `sctk` is installed. */
export const hasSclite = existsSync(SCLITE)

/** Counts the wrong words of each pair with NIST's scorer, to check our own. */
export async function scliteErrors(pairs: readonly { said: string; heard: string }[]): Promise<number[]> {
	const dir = await mkdtemp(join(tmpdir(), 'playhouse-words-'))
	try {
		for (const side of ['said', 'heard'] as const)
			await writeFile(join(dir, side), pairs.map((pair, at) => `${pair[side]} (a_${at})\n`).join(''))
		const texts = ['-r', join(dir, 'said'), 'trn', '-h', join(dir, 'heard'), 'trn']
		const report = execFileSync(SCLITE, [...texts, '-i', 'rm', '-o', 'pralign', 'stdout'], {
			encoding: 'utf8',
			cwd: dir,
		})
		const errors = new Map<number, number>()
		for (const [, at, ...counts] of report.matchAll(
			/id: \(a_(\d+)\)\s+Scores: \(#C #S #D #I\) \d+ (\d+) (\d+) (\d+)/g,
		))
			errors.set(
				Number(at),
				counts.reduce((sum, count) => sum + Number(count), 0),
			)
		return pairs.map((_, at) => errors.get(at) ?? Number.NaN)
	} finally {
		await rm(dir, { recursive: true, force: true })
	}
}
