import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Environment } from '../config.ts'
import { programOnPath } from '../ffmpeg/binary.ts'

const TIMEOUT_MS = 15_000

/**
 * Returns the device files of graphics cards. NVIDIA's driver makes its own when a program first uses the card, with a
 * helper that does not work in a sandbox, so the helper runs here.
 */
export async function findDevices(env: Environment, signal: AbortSignal): Promise<string[]> {
	const nvidiaModprobe = await programOnPath(env, 'nvidia-modprobe')
	if (nvidiaModprobe) {
		// Without the card or the driver it fails, and there are no files.
		await execa(nvidiaModprobe, ['-c', '0', '-u'], {
			stdio: 'ignore',
			reject: false,
			timeout: TIMEOUT_MS,
			killSignal: 'SIGKILL',
			cancelSignal: signal,
		})
		signal.throwIfAborted()
	}
	const hasRenderNode = (await namesIn('/dev/dri')).some((name) => name.startsWith('renderD'))
	return [
		...(await namesIn('/dev')).filter((name) => name.startsWith('nvidia') || name === 'kfd'),
		...(hasRenderNode ? ['dri'] : []),
	].map((name) => join('/dev', name))
}

const namesIn = (dir: string): Promise<string[]> => readdir(dir).catch(() => [])
