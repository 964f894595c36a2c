import { z } from 'zod'
import { data, Line, pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Id } from '../fields.ts'
import { FieldType } from '../member/members.ts'
import { CommunityParams, updateSchema } from './communities.ts'

const operation = describeOperations('Community management')
const FieldParams = CommunityParams.extend({ fieldId: pathInt })

const Label = Line.min(1).max(100)
const Options = z
	.array(Line.min(1).max(100))
	.max(100)
	.refine((options) => new Set(options).size === options.length, 'must not repeat an option')
const Position = z.int().min(0).max(1_000_000)

export const ManagedProfileField = z
	.object({
		id: Id,
		key: z.string(),
		label: z.string(),
		fieldType: FieldType,
		required: z.boolean(),
		options: z.array(z.string()),
		position: z.int(),
	})
	.meta({ id: 'ManagedProfileField' })

export const listManagedProfileFields = operation({
	id: 'listManagedProfileFields',
	method: 'get',
	path: '/v1/communities/{communityId}/profile-fields',
	summary: 'List profile fields by position',
	auth: 'read',
	impersonation: 'read',
	params: CommunityParams,
	response: data(z.array(ManagedProfileField)),
})

export const createProfileField = operation({
	id: 'createProfileField',
	method: 'post',
	path: '/v1/communities/{communityId}/profile-fields',
	summary: 'Create a profile field',
	auth: 'write',
	audit: 'profile_field.created',
	impersonation: 'write',
	params: CommunityParams,
	body: z.object({
		key: z.string().regex(/^[a-z][a-z0-9_]{0,49}$/, 'must be lower-case letters, digits and underscores'),
		label: Label,
		fieldType: FieldType.default('text'),
		required: z.boolean().default(false),
		options: Options.default([]),
		position: Position.default(0),
	}),
	status: 201,
	response: data(ManagedProfileField),
	errors: ['conflict'],
})

export const updateProfileField = operation({
	id: 'updateProfileField',
	method: 'patch',
	path: '/v1/communities/{communityId}/profile-fields/{fieldId}',
	summary: 'Update a profile field, except its key',
	auth: 'write',
	audit: 'profile_field.updated',
	impersonation: 'write',
	params: FieldParams,
	body: updateSchema({
		label: Label,
		fieldType: FieldType,
		required: z.boolean(),
		options: Options,
		position: Position,
	}),
	response: data(ManagedProfileField),
})

export const deleteProfileField = operation({
	id: 'deleteProfileField',
	method: 'delete',
	path: '/v1/communities/{communityId}/profile-fields/{fieldId}',
	summary: 'Delete a profile field',
	auth: 'write',
	audit: 'profile_field.deleted',
	params: FieldParams,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})
