import type { ProfileValue } from '#schema/contract/community/member/members.ts'
import { isOneLine, WebUrl } from '#schema/contract/kit/fields.ts'
import type { ProfileFieldRow } from '../profile-fields/store.ts'

type Field = Pick<ProfileFieldRow, 'fieldType' | 'options'>

const isText = (value: ProfileValue, maxLength: number): value is string =>
	typeof value === 'string' && value.trim() !== '' && value.length <= maxLength

/** Checks whether a value is an existing day, unlike `2026-02-30`. */
function isDay(value: ProfileValue): boolean {
	if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
	const at = Date.parse(`${value}T00:00:00Z`)
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value)
}

const isWebAddress = (value: ProfileValue): boolean => WebUrl.safeParse(value).data === value

/** Checks whether a value is valid for a field. A stored value can become invalid when the type or the options change. */
export function isValidValue({ fieldType, options }: Field, value: ProfileValue): boolean {
	switch (fieldType) {
		case 'text':
			return isText(value, 500) && isOneLine(value)
		case 'textarea':
			return isText(value, 5_000)
		case 'number':
			return typeof value === 'number'
		case 'checkbox':
			return typeof value === 'boolean'
		case 'date':
			return isDay(value)
		case 'url':
			return isWebAddress(value)
		case 'select':
			return typeof value === 'string' && options.includes(value)
		case 'multi_select':
			return (
				Array.isArray(value) &&
				value.length > 0 &&
				new Set(value).size === value.length &&
				value.every((one) => options.includes(one))
			)
	}
}

/** Describes the first invalid value; null if all are valid. Expects values by field key. */
export function findInvalidValue(
	fields: readonly ProfileFieldRow[],
	values: Readonly<Record<string, ProfileValue | null>>,
): string | null {
	for (const [key, value] of Object.entries(values)) {
		const field = fields.find((one) => one.key === key)
		if (!field) return `profile_fields.${key}: the community has no such field`
		if (value === null ? field.required : !isValidValue(field, value))
			return `profile_fields.${key}: ${value === null ? 'is required' : `is not a valid ${field.fieldType} value`}`
	}
	return null
}

/** Converts keys of fields to ids for storage: a later field can reuse a key. */
export const indexByFieldId = (
	fields: readonly ProfileFieldRow[],
	values: Readonly<Record<string, ProfileValue | null>>,
): Record<string, ProfileValue | null> =>
	Object.fromEntries(fields.flatMap(({ id, key }) => (key in values ? [[id, values[key] ?? null]] : [])))
