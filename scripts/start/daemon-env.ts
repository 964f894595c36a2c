import { join } from 'node:path'
import { Variables } from '../../edge/platform/env.ts'
import type { Programs } from '../../transcoder-daemon/ffmpeg/binary.ts'
import { isForThisMachineOnly, type Settings } from '../lib/installation/settings.ts'

const workerVariables = new Set(Object.keys(Variables.shape))

/**
 * Returns the daemon's environment. The daemon reads untrusted files, so it gets no secret of the Worker except the
 * token for registration.
 */
export function buildDaemonEnv(
	settings: Pick<Settings, 'env' | 'dataDir' | 'host' | 'trustsProxy' | 'variables'>,
	programs: Programs,
	edgeUrl: string,
	fleetToken: string,
): NodeJS.ProcessEnv {
	const { env, dataDir } = settings
	return {
		...Object.fromEntries(Object.entries(env).filter(([name]) => !workerVariables.has(name))),
		FFMPEG_PATH: programs.ffmpeg,
		FFPROBE_PATH: programs.ffprobe,
		PLAYHOUSE_EDGE_URL: edgeUrl,
		PLAYHOUSE_FLEET_TOKEN: fleetToken,
		PLAYHOUSE_DATA_DIR: join(dataDir, 'daemon'),
		PLAYHOUSE_ALLOW_UNSANDBOXED: env.PLAYHOUSE_ALLOW_UNSANDBOXED ?? String(isForThisMachineOnly(settings)),
		// The supervising console filters and formats the log.
		LOG_FORMAT: 'json',
		LOG_LEVEL: 'debug',
		// A short drain, because someone who presses Ctrl-C waits. A returned task costs no attempt.
		PLAYHOUSE_DRAIN_SECONDS: env.PLAYHOUSE_DRAIN_SECONDS ?? '3',
	}
}
