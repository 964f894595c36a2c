import { createHash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import type { DecoderTrial } from '../ffmpeg/decoders.ts'
import type { Trial } from '../ffmpeg/encoders.ts'
import type { Sandbox } from './sandbox.ts'

type Trials = { trials: Trial[]; decoderTrials: DecoderTrial[] }

/** Raised when trials change, which invalidates earlier results. */
const TRIALS_VERSION = 2

type Tried = { ffmpeg: string; codecs: readonly string[]; sandbox: Pick<Sandbox, 'tools' | 'gaps'> }

const StoredTrials = z.object({
	key: z.string(),
	trials: z.array(z.unknown()),
	decoderTrials: z.array(z.unknown()),
})

/**
 * Returns the stored trials of the same ffmpeg and sandbox, for frequent restarts in development. Driver changes are
 * not detected, so production machines repeat their trials at each start.
 */
export async function reuseOrRunTrials(
	path: string,
	{ ffmpeg, codecs, sandbox }: Tried,
	tryAll: () => Promise<Trials>,
): Promise<Trials> {
	const { size, mtimeMs } = await stat(ffmpeg)
	const key = createHash('sha256')
		.update(JSON.stringify([TRIALS_VERSION, ffmpeg, size, mtimeMs, codecs, sandbox.tools, sandbox.gaps]))
		.digest('hex')
	const stored = await read(path)
	if (stored?.key === key) return stored as unknown as Trials
	const trials = await tryAll()
	await writeFile(path, JSON.stringify({ key, ...trials }))
	return trials
}

async function read(path: string) {
	try {
		return StoredTrials.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
	} catch {
		// The file is missing or truncated; new trials replace it.
		return undefined
	}
}
