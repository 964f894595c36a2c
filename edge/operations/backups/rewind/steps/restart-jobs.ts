import type { StepPart } from '../step-part.ts'
import { jobRepairStore } from './job-repair-store.ts'

/** Takes every running task from its machine. Machines may still hold later epochs, which must never be given out again. */
export const restartJobs: StepPart = async ({ db, now }) => ({
	cursor: null,
	changed: await jobRepairStore(db).raiseEpochs(now),
})
