ALTER TABLE `machines` ADD `paused_at` integer;--> statement-breakpoint
ALTER TABLE `orgs` ADD `video_codecs` text DEFAULT '["h264"]' NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `left_out` text;