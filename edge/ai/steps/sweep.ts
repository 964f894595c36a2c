import { DAY, MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { wasOrgSuspendedSince } from '../../platform/suspension.ts'
import { runOrLog } from '../../platform/work/sweep.ts'
import { findAsset } from '../../video/assets/assets.ts'
import { PROVIDER_LANE } from '../../video/transcoding/plan/lanes.ts'
import { listSpeechTasks } from '../../video/transcoding/speech/speech-tasks.ts'
import { advanceTranscription, failTranscription } from './advance.ts'
import { sweepChapters } from './chapters-step.ts'
import { advanceHighlights, dropLateClips } from './highlights-step.ts'
import { sendDueChunks } from './provider/send-due.ts'
import { reasons } from './reasons.ts'
import { aiStore, type StepRow } from './store.ts'

/** Events advance steps immediately; this finds missed ones, such as tasks that ended with their job. */
const CHECK_AFTER_MS = 5 * MINUTE
const BATCH_SIZE = 50
const WAIT_MS = DAY

/** Checks open steps. None stays open unless a machine or a provider works on it. */
export async function sweepSteps(deps: Deps): Promise<void> {
	await sendDueChunks(deps)
	await sweepTranscriptions(deps)
	await sweepHighlights(deps)
	await sweepChapters(deps, BATCH_SIZE)
}

async function sweepTranscriptions(deps: Deps): Promise<void> {
	const { db, now } = deps
	for (const row of await aiStore(db).claimOpen('transcription', CHECK_AFTER_MS, now, BATCH_SIZE)) {
		await continueOrLog(deps, row, () => advanceTranscription(deps, row.assetId))
		if (await isOverdue(deps, row, WAIT_MS))
			await continueOrLog(deps, row, () => giveUpTranscription(deps, row))
	}
}

async function giveUpTranscription(deps: Deps, { assetId, orgId }: StepRow): Promise<void> {
	const tasks = await listSpeechTasks(deps, assetId)
	const asset = await findAsset(deps, orgId, assetId)
	if (!asset || tasks.some(({ state }) => state === 'running')) return
	const rows = await aiStore(deps.db).list(assetId)
	const transcription = rows.find(({ step }) => step === 'transcription')
	const isByProvider = tasks.some(({ lane }) => lane === PROVIDER_LANE)
	const reason = isByProvider ? reasons.noProviderInTime : reasons.noMachineInTime
	if (transcription) await failTranscription(deps, { asset, rows, transcription, tasks }, reason)
}

async function sweepHighlights(deps: Deps): Promise<void> {
	const { db, now } = deps
	for (const row of await aiStore(db).claimOpen('highlights', CHECK_AFTER_MS, now, BATCH_SIZE)) {
		// Once the transcript exists, its step also ends this one.
		if (row.status !== 'processing') continue
		await continueOrLog(deps, row, () => advanceHighlights(deps, row.assetId))
		// The transcript may come a day after the step began, and the clips after that.
		if (await isOverdue(deps, row, 2 * WAIT_MS))
			await continueOrLog(deps, row, () => dropLateClips(deps, row.assetId))
	}
}

/** While an organization is suspended, no machine works for it, so the wait restarts afterwards. */
const isOverdue = async (
	{ db, now }: Deps,
	{ startedAt, orgId }: StepRow,
	waitMs: number,
): Promise<boolean> => startedAt <= now - waitMs && !(await wasOrgSuspendedSince(db, orgId, now - waitMs))

/** Also ends steps that can't be continued. */
const continueOrLog = ({ log }: Deps, { assetId, step }: StepRow, work: () => Promise<void>) =>
	runOrLog(log, 'a step of AI was not continued', { assetId, step }, work)
