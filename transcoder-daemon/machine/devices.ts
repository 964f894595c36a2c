import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Environment } from '../config.ts'
import { findProgramOnPath } from '../ffmpeg/binary.ts'

const TIMEOUT_MS = 15_000
/** Has a folder for each card as soon as NVIDIA's driver is loaded. */
const NVIDIA_CARDS = '/proc/driver/nvidia/gpus'
/** The minor number of /dev/nvidiactl. */
const CONTROL_MINOR = 255

/** Returns the device files of graphics cards. */
export async function findDevices(
	env: Environment,
	signal: AbortSignal,
	nvidiaCards = NVIDIA_CARDS,
): Promise<string[]> {
	await makeNvidiaDevices(env, signal, nvidiaCards)
	return [
		...(await namesIn('/dev')).filter((name) => name.startsWith('nvidia') || name === 'kfd'),
		...((await listRenderNodes()).length > 0 ? ['dri'] : []),
	]
		.map((name) => join('/dev', name))
		.toSorted()
}

/** Returns the device files of graphics cards that any program can use through VA-API. */
export const listRenderNodes = async (): Promise<string[]> =>
	(await namesIn('/dev/dri')).filter((name) => name.startsWith('renderD')).map((name) => `/dev/dri/${name}`)

/**
 * Creates the device files of NVIDIA cards, which the driver does on first use, with a helper that fails in a
 * sandbox.
 */
async function makeNvidiaDevices(env: Environment, signal: AbortSignal, nvidiaCards: string): Promise<void> {
	const helper = await findProgramOnPath(env, 'nvidia-modprobe')
	if (!helper) return
	// Without a card or its driver, the helper fails and creates no files.
	const make = async (...args: string[]) => {
		await execa(helper, args, {
			stdio: 'ignore',
			reject: false,
			timeout: TIMEOUT_MS,
			killSignal: 'SIGKILL',
			cancelSignal: signal,
			extendEnv: false,
		})
		signal.throwIfAborted()
	}
	// The first call loads the driver, which then lists its cards.
	await make('-c', String(CONTROL_MINOR))
	const cards = Math.max(1, (await namesIn(nvidiaCards)).length)
	await make(...Array.from({ length: cards }, (_, minor) => ['-c', String(minor)]).flat())
	await make('-c', '0', '-u')
}

const namesIn = (dir: string): Promise<string[]> => readdir(dir).catch(() => [])
