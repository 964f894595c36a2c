import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { isCommonPassword } from './common-passwords.ts'
import { isMadeOfOwnWords } from './own-words.ts'

type NewPassword = {
	/** The name of the field in the request. */
	field: 'password' | 'newPassword'
	password: string
	owner: { email: string; name: string }
}

/** Hashes a new password, or throws if it is easy to guess. Every password hash that is stored must come from here. */
export async function hashNewPassword(deps: Deps, { field, password, owner }: NewPassword): Promise<string> {
	if (await isCommonPassword(password))
		throw refusedPasswordError(field, 'is one of the most common passwords; choose another one')
	if (isMadeOfOwnWords(password, owner))
		throw refusedPasswordError(field, 'is too similar to your name or address; choose another one')
	return deps.passwords.hash(password)
}

const refusedPasswordError = (field: string, why: string) =>
	new AppError('validation', `${field}: ${why}`, { fields: { [field]: [why] } })
