import { crons, type Feature } from '../../http/feature.ts'
import { advanceTranscription } from './advance.ts'
import { consumeChapters } from './chapters-step.ts'
import { advanceHighlights } from './highlights-step.ts'
import { stepsPersonalData } from './personal-data.ts'
import { recordTranscription } from './provider/take-outcome.ts'
import { transcribeChunk } from './provider/transcribe-chunk.ts'
import { deleteStepsStatements, stopStepsStatements } from './removal-store.ts'
import { aiRoutes } from './routes.ts'
import { resumeSteps, runSteps, startSteps } from './run.ts'
import { openSteps } from './store.ts'
import { sweepSteps } from './sweep.ts'

export const aiFeature = {
	routes: aiRoutes,
	followers: {
		'asset.ready': (deps, { payload }) => startSteps(deps, payload),
		'asset.restored': (deps, { orgId, payload }) => resumeSteps(deps, orgId, payload.assetId),
		'asset.clip_ended': (deps, { payload }) => advanceHighlights(deps, payload.assetId),
		'asset.speech_task_ended': (deps, { payload }) => advanceTranscription(deps, payload.assetId),
	},
	consumers: { 'ai.transcribe': transcribeChunk, 'ai.chapters': consumeChapters },
	contributions: { takeTranscription: recordTranscription, runAiSteps: runSteps },
	schedules: [{ cron: crons.eachMinute, name: 'sweep-ai-steps', due: [openSteps], run: sweepSteps }],
	personalData: stepsPersonalData,
	deleteOfAssetStatements: deleteStepsStatements,
	stopWorkOnAssetStatements: stopStepsStatements,
} satisfies Feature
