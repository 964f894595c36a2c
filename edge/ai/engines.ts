import { findEngine, installationEngine } from '../ai-providers/calls/engine.ts'
import { OFFLINE_AFTER_MS } from '../fleet/machines.ts'
import { DAY } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import type { ChosenEngine } from '../transcoding/jobs/speech-tasks.ts'
import { type SpeechMachine, speechStore } from '../transcoding/store/speech-store.ts'
import { chooseRecognizer } from './engine-choice.ts'

/** Covers machines that are off overnight. */
const MACHINE_LOOKBACK_MS = DAY

/** Lists the speech engines of the machines that work for this installation. */
const listSpeechEngines = ({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<SpeechMachine[]> =>
	speechStore(db).listEngines(now - MACHINE_LOOKBACK_MS, now - OFFLINE_AFTER_MS)

/** Chooses what transcribes the videos of an organization: a machine, its own provider, or the installation's; null if there is none. */
export async function findRecognizer(
	deps: Deps,
	orgId: string,
	language: string | null,
): Promise<ChosenEngine | null> {
	const [machines, engine] = await Promise.all([listSpeechEngines(deps), findEngine(deps, orgId)])
	return chooseRecognizer(machines, engine?.provider ?? null, language)
}

/** Whether videos of an organization without a provider of its own are transcribed. */
export const hasRecognizer = async (deps: Deps): Promise<boolean> =>
	installationEngine(deps) !== null || (await listSpeechEngines(deps)).length > 0
