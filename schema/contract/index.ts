import * as accountDeletion from './account-deletion.ts'
import * as assets from './assets.ts'
import * as collections from './collections.ts'
import * as comments from './comments.ts'
import * as diagnostics from './diagnostics.ts'
import * as fleet from './fleet.ts'
import * as health from './health.ts'
import * as identity from './identity.ts'
import type { Operation } from './operation.ts'
import * as orgs from './orgs.ts'
import * as playback from './playback.ts'
import * as reactions from './reactions.ts'
import * as resumableUploads from './resumable-uploads.ts'
import * as uploads from './uploads.ts'

const isOperation = (value: unknown): value is Operation =>
	typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'auth' in value

const methods: readonly Operation['method'][] = ['options', 'get', 'head', 'post', 'put', 'patch', 'delete']
const placeOf = (op: Operation) => `${op.path} ${methods.indexOf(op.method)}`

/** A module hands its exports out by name; readers look for neighbours by path. */
const operationsOf = (feature: Record<string, unknown>): Operation[] =>
	Object.values(feature)
		.filter(isOperation)
		.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))

/** Every operation there is, feature by feature. A test holds this list and the served routes against each other. */
export const allOperations: readonly Operation[] = [
	...operationsOf(health),
	...operationsOf(identity),
	...operationsOf(orgs),
	...operationsOf(assets),
	...operationsOf(uploads),
	...operationsOf(resumableUploads),
	...operationsOf(collections),
	...operationsOf(playback),
	...operationsOf(comments),
	...operationsOf(reactions),
	...operationsOf(diagnostics),
	...operationsOf(fleet),
	...operationsOf(accountDeletion),
]
