import { join } from 'node:path'
import { Variables } from '../../edge/platform/env.ts'
import type { Programs } from '../../transcoder-daemon/ffmpeg/binary.ts'
import { isForThisMachineOnly, type Settings } from './settings.ts'

const ofWorker = new Set(Object.keys(Variables.shape))

/** The daemon reads files of strangers, so it gets no secret of the Worker but the token that it registers with. */
export function daemonEnv(
	settings: Pick<Settings, 'env' | 'dataDir' | 'host' | 'trustsProxy' | 'variables'>,
	programs: Programs,
	edgeUrl: string,
	fleetToken: string,
): NodeJS.ProcessEnv {
	const { env, dataDir } = settings
	return {
		...Object.fromEntries(Object.entries(env).filter(([name]) => !ofWorker.has(name))),
		FFMPEG_PATH: programs.ffmpeg,
		FFPROBE_PATH: programs.ffprobe,
		PLAYHOUSE_EDGE_URL: edgeUrl,
		PLAYHOUSE_FLEET_TOKEN: fleetToken,
		PLAYHOUSE_DATA_DIR: join(dataDir, 'daemon'),
		PLAYHOUSE_ALLOW_UNSANDBOXED: env.PLAYHOUSE_ALLOW_UNSANDBOXED ?? String(isForThisMachineOnly(settings)),
		// Whoever presses Ctrl-C waits; what is given back costs no attempt.
		PLAYHOUSE_DRAIN_SECONDS: env.PLAYHOUSE_DRAIN_SECONDS ?? '3',
	}
}
