INSERT INTO `storage_purges` SELECT `bucket`, `prefix`, `due_at`, `due_at` + 86400000 FROM `object_purges` WHERE true ON CONFLICT DO NOTHING;--> statement-breakpoint
DROP TABLE `object_purges`;--> statement-breakpoint
ALTER TABLE `assets` ADD `audio_track` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `audio_key` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `ai_audio_key` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `download_key` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `media_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `assets` ADD `audio_config` text;--> statement-breakpoint
CREATE INDEX `assets_storage` ON `assets` (`org_id`,`source_size_bytes`,`media_bytes`);