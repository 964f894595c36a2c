import type { ProfileValue } from '#schema/contract/community/members.ts'
import { WebUrl } from '#schema/contract/fields.ts'
import type { ProfileFieldRow } from '../profile-fields/store.ts'

type Field = Pick<ProfileFieldRow, 'fieldType' | 'options'>

const isText = (value: ProfileValue, most: number): value is string =>
	typeof value === 'string' && value.trim() !== '' && value.length <= most

/** `2026-02-30` has the form of a day and is none. */
function isDay(value: ProfileValue): boolean {
	if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
	const at = Date.parse(`${value}T00:00:00Z`)
	return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value)
}

const isWebAddress = (value: ProfileValue): boolean => WebUrl.safeParse(value).data === value

/** Whether a value is one of a field, also of one whose type or options were changed since it was written. */
export function fits({ fieldType, options }: Field, value: ProfileValue): boolean {
	switch (fieldType) {
		case 'text':
			return isText(value, 500)
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

/** What is wrong with values for the fields of a community, by their keys; null when nothing is. */
export function findMisfit(
	fields: readonly ProfileFieldRow[],
	values: Readonly<Record<string, ProfileValue | null>>,
): string | null {
	for (const [key, value] of Object.entries(values)) {
		const field = fields.find((one) => one.key === key)
		if (!field) return `profile_fields.${key}: the community has no such field`
		if (value === null ? field.required : !fits(field, value))
			return `profile_fields.${key}: ${value === null ? 'is required' : `is no ${field.fieldType} of this field`}`
	}
	return null
}

/** By ids, as they are stored: keys may be given to other fields later. */
export const byFieldId = (
	fields: readonly ProfileFieldRow[],
	values: Readonly<Record<string, ProfileValue | null>>,
): Record<string, ProfileValue | null> =>
	Object.fromEntries(fields.flatMap(({ id, key }) => (key in values ? [[id, values[key] ?? null]] : [])))
