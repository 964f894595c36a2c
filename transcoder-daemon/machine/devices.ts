import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Environment } from '../config.ts'
import { programOnPath } from '../ffmpeg/binary.ts'
import { listRenderNodes } from '../ffmpeg/encoders.ts'

const TIMEOUT_MS = 15_000
/** The minor number of /dev/nvidiactl. */
const CONTROL_MINOR = 255

/** Returns the device files of graphics cards. */
export async function findDevices(env: Environment, signal: AbortSignal): Promise<string[]> {
	await makeNvidiaDevices(env, signal)
	return [
		...(await namesIn('/dev')).filter((name) => name.startsWith('nvidia') || name === 'kfd'),
		...((await listRenderNodes()).length > 0 ? ['dri'] : []),
	].map((name) => join('/dev', name))
}

/**
 * Makes the device files of NVIDIA cards. The driver does so when a program first uses a card, with a helper that does not
 * work in a sandbox.
 */
async function makeNvidiaDevices(env: Environment, signal: AbortSignal): Promise<void> {
	const helper = await programOnPath(env, 'nvidia-modprobe')
	if (!helper) return
	const cards = Math.max(1, (await namesIn('/proc/driver/nvidia/gpus')).length)
	const minors = [CONTROL_MINOR, ...Array.from({ length: cards }, (_, number) => number)]
	// Without a card or its driver the helper fails, and there are no files.
	for (const more of [minors.flatMap((minor) => ['-c', String(minor)]), ['-c', '0', '-u']])
		await execa(helper, more, {
			stdio: 'ignore',
			reject: false,
			timeout: TIMEOUT_MS,
			killSignal: 'SIGKILL',
			cancelSignal: signal,
			extendEnv: false,
		})
	signal.throwIfAborted()
}

const namesIn = (dir: string): Promise<string[]> => readdir(dir).catch(() => [])
