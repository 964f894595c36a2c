import type { TaskKind } from '#schema/contract/tasks.ts'
import { fetchFrom, theInternet } from './fetch.ts'
import type { RunTask } from './task.ts'

/** What this program knows to do. It claims no other kinds. */
export type TaskTable = { readonly [K in TaskKind]?: RunTask<K> }

export const tasks: TaskTable = {
	fetch: fetchFrom(theInternet),
}
