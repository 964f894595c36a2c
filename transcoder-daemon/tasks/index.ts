import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { runAudio } from './audio.ts'
import { runClip } from './clip/clip.ts'
import { runDownload } from './download.ts'
import { createRunFetch, defaultInternet } from './fetch.ts'
import { runInspect } from './inspect.ts'
import { runRemux } from './remux.ts'
import { runSpeechPlan } from './speech-plan.ts'
import { runPoster } from './stills/frame-poster.ts'
import { runStills } from './stills/stills.ts'
import type { RunTask } from './task.ts'
import { runTranscribe } from './transcribe.ts'
import { runVideo } from './video.ts'

/** Implementations by kind. The daemon claims no other kinds. */
export type TaskTable = { readonly [K in TaskKind]?: RunTask<K> }

export const tasks: TaskTable = {
	fetch: createRunFetch(defaultInternet),
	inspect: runInspect,
	remux: runRemux,
	video: runVideo,
	audio: runAudio,
	stills: runStills,
	download: runDownload,
	'speech-plan': runSpeechPlan,
	transcribe: runTranscribe,
	clip: runClip,
	poster: runPoster,
}
