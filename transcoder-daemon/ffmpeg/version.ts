import { execa } from 'execa'

/** Returns the version, such as `5.1.9` or `N-118000-gabcdef`. */
export async function readFfmpegVersion(ffmpeg: string, signal: AbortSignal): Promise<string> {
	const { stdout } = await execa(ffmpeg, ['-version'], {
		stdin: 'ignore',
		timeout: 15_000,
		cancelSignal: signal,
	})
	const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1]
	if (!version) throw new Error(`${ffmpeg} does not report its version`)
	return version.slice(0, 200)
}
