import { ExecaError, execa } from 'execa'
import { type Programs, UnusableProgramError } from './binary.ts'

const MAX_REASON = 300

/**
 * Returns the version of ffmpeg, such as `5.1.9` or `N-118000-gabcdef`. Throws an UnusableProgramError unless ffmpeg and ffprobe both
 * start: a restart would fail in the same way.
 */
export async function readFfmpegVersion({ ffmpeg, ffprobe }: Programs, signal: AbortSignal): Promise<string> {
	const [version] = await Promise.all([readVersion(ffmpeg, signal), readVersion(ffprobe, signal)])
	return version
}

async function readVersion(program: string, signal: AbortSignal): Promise<string> {
	const { stdout } = await execa(program, ['-version'], {
		stdin: 'ignore',
		timeout: 15_000,
		cancelSignal: signal,
	}).catch((error: unknown) => {
		// A busy machine may be slow; the next try may not be.
		if (!(error instanceof ExecaError) || error.timedOut || error.isCanceled) throw error
		throw brokenError(program, error)
	})
	const version = /^ff(?:mpeg|probe) version (\S+)/.exec(stdout)?.[1]
	if (!version) throw brokenError(program)
	return version.slice(0, 200)
}

function brokenError(program: string, error?: ExecaError): UnusableProgramError {
	const said = String(error?.stderr ?? '')
		.trim()
		.split('\n')
		.at(-1)
	const reason = said || error?.originalMessage || error?.shortMessage || 'it does not report its version'
	return new UnusableProgramError(
		`${program} does not work (${reason.slice(0, MAX_REASON)}); install ffmpeg again (apt install --reinstall ffmpeg, brew reinstall ffmpeg), or set FFMPEG_PATH and FFPROBE_PATH to others`,
	)
}
