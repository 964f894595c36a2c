import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../lib/root.ts'
import { formatBuildErrors } from './worker-bundle.ts'

/**
 * Parses the daemon's sources before a restart: Node runs them without a build, so a syntax error would end the
 * daemon. Throws the errors with their locations.
 */
export async function checkDaemon(color: boolean): Promise<void> {
	const check = build({
		absWorkingDir: root,
		entryPoints: [join(root, 'transcoder-daemon', 'main.ts')],
		bundle: true,
		write: false,
		platform: 'node',
		format: 'esm',
		target: 'node24',
		packages: 'external',
		alias: { '#schema': join(root, 'schema') },
		logLevel: 'silent',
	})
	await formatBuildErrors(check, color)
}
