import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type MachineProcess, startMachine } from '../../../scripts/lib/machine-process.ts'
import { canSpeak } from '../../support/shared/speech/spoken-clip.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { until } from '../fleet/installation.ts'
import type { Installation } from './one-command-installation.ts'

/** The program that makes pocketsphinx a speech engine. */
export const pocketsphinx = join(import.meta.dirname, '../../support/shared/speech/pocketsphinx.mjs')

export const speechRequirements = () => ({
	pocketsphinx: existsSync('/usr/bin/pocketsphinx_continuous'),
	'ffmpeg with flite': canSpeak(programs.ffmpeg),
	bubblewrap: confines(),
})

/** Whether bubblewrap works here, as the daemon needs it. */
function confines(): boolean {
	try {
		execFileSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true'], { stdio: 'ignore' })
		return true
	} catch {
		return false
	}
}

/** Words that nobody says, but that the engine may hear. */
export const DECOYS =
	'one two three four five six seven bake cake sugar butter sun star river house garden music friend window street'

/** Starts a machine whose engine knows the words of a file, may read `more` files, and works in the sandbox only. */
export const startHearingMachine = async (
	installation: Installation,
	name: string,
	words: string,
	more: readonly string[] = [],
): Promise<MachineProcess> =>
	startMachine({
		edgeUrl: installation.url,
		fleetToken: await installation.fleetToken(),
		dataDir: join(installation.folder, name),
		name,
		env: {
			PLAYHOUSE_ALLOW_UNSANDBOXED: 'false',
			PLAYHOUSE_CODECS: 'none',
			PLAYHOUSE_ASR_COMMAND: `${process.execPath} ${pocketsphinx} {input} ${[words, 'confined', ...more].join(' ')}`,
			PLAYHOUSE_ASR_LANGUAGES: 'en',
		},
	})

/** How many tasks of a kind a machine has begun. */
export const claimedTasks = (machine: MachineProcess, kind: string): number =>
	machine.lines.filter((line) => line.message === 'task claimed' && line.kind === kind).length

/** Waits until every AI step of an asset has ended. */
export const aiEnded = (installation: Installation, assetId: string) =>
	until(async () => {
		const { aiJob } = await installation.owner.get(assetId)
		return aiJob && !['pending', 'processing'].includes(aiJob.status) ? aiJob : null
	})
