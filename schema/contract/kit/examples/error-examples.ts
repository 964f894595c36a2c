import { errorMeanings } from '../operation-errors.ts'
import type { ErrorCode } from '../problem.ts'
import type { WireFamily } from '../wire-family.ts'

/** Messages that name a field or resource. Other codes use their meaning as the message. */
const messages: Partial<Record<ErrorCode, string>> = {
	validation: 'title: must be at most 255 characters',
	malformed: 'the body is not valid JSON',
	not_found: 'no such asset',
	conflict: 'the name is taken',
	unauthorized: 'the credential is missing, wrong, expired or revoked',
}

/** Returns an example of the body of an error with each of the codes. */
export const composeErrors = (
	codes: readonly ErrorCode[],
	family: WireFamily,
): Record<string, { value: unknown }> =>
	Object.fromEntries(codes.map((code) => [code, { value: errorBody(code, family) }]))

function errorBody(code: ErrorCode, family: WireFamily): object {
	const message = messages[code] ?? errorMeanings[code].replaceAll('`', '')
	if (family === 'oauth') return { error: code, error_description: message }
	if (family !== 'account') return { error: message }
	return code === 'validation'
		? { confirm_email: ['must be the address of the account'] }
		: { detail: message }
}
