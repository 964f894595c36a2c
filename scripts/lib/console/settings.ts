import {
	type LogOptions,
	logFormats,
	logLevels,
	readLogOptions,
} from '../../../transcoder-daemon/log-format.ts'
import { StartFailure } from '../installation/failure.ts'

/** Validates LOG_LEVEL and LOG_FORMAT. People pipe the output of `npm start`, too, so JSON is opt-in. */
export function checkLogOptions(env: NodeJS.ProcessEnv, out: NodeJS.WriteStream): LogOptions {
	requireOneOf('LOG_LEVEL', env.LOG_LEVEL, logLevels)
	requireOneOf('LOG_FORMAT', env.LOG_FORMAT, logFormats)
	return readLogOptions({ ...env, LOG_FORMAT: env.LOG_FORMAT || 'pretty' }, out)
}

function requireOneOf(name: string, value: string | undefined, allowed: readonly string[]): void {
	if (value && !allowed.includes(value))
		throw new StartFailure(`${name}: must be one of ${allowed.join(', ')}, not ${value}`)
}
