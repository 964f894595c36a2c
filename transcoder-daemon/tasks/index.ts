import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { runAudio } from './audio.ts'
import { clip } from './clip/clip.ts'
import { download } from './download.ts'
import { defaultInternet, fetchFrom } from './fetch.ts'
import { inspect } from './inspect.ts'
import { remux } from './remux.ts'
import { planSpeech } from './speech-plan.ts'
import { stills } from './stills.ts'
import type { RunTask } from './task.ts'
import { transcribe } from './transcribe.ts'
import { runVideo } from './video.ts'

/** Implementations by kind. The daemon claims no other kinds. */
export type TaskTable = { readonly [K in TaskKind]?: RunTask<K> }

export const tasks: TaskTable = {
	fetch: fetchFrom(defaultInternet),
	inspect,
	remux,
	video: runVideo,
	audio: runAudio,
	stills,
	download,
	'speech-plan': planSpeech,
	transcribe,
	clip,
}
