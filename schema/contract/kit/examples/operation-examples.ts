import type { Operation } from '../operation.ts'
import { composeExample } from './compose-example.ts'
import { textFiles } from './text-files.ts'

/** Returns an example of the JSON body of a request. Operations without a body have none. */
export const composeRequest = ({ id, body }: Operation): unknown =>
	body && composeExample(body, [id, 'request'])

/** Returns an example of the JSON body of a successful response. */
export const composeResponse = ({ id, response }: Operation): unknown =>
	response && composeExample(response, [id, 'response'])

/** Returns an example of each parameter in the path. */
export const composePathParameters = ({ id, params }: Operation): Record<string, string> =>
	(params ? composeExample(params, [id, 'params']) : {}) as Record<string, string>

/** Returns an example of a body in a text format, and undefined for bytes. */
export function findText(id: string, mediaType: string): string | undefined {
	const type = mediaType.split(';')[0] ?? ''
	const text = textFiles[id] ?? textFiles[type]
	if (text === undefined && type.startsWith('text/'))
		throw new Error(
			`no example for the ${type} of ${id}; add one to schema/contract/kit/examples/text-files.ts`,
		)
	return text
}
