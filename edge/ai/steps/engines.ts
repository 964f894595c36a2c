import type { Deps } from '../../platform/deps.ts'
import { listSpeechEngines } from '../../video/transcoding/speech/speech-engines.ts'
import type { ChosenEngine } from '../../video/transcoding/speech/speech-tasks.ts'
import { findEngine, readInstallationEngine } from '../providers/calls/engine.ts'
import { chooseRecognizer } from './engine-choice.ts'

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
	readInstallationEngine(deps) !== null || (await listSpeechEngines(deps)).length > 0
