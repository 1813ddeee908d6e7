{{/*
Values that are generated once: an upgrade keeps what the Secret already has, so that no password
changes. (Where lookup is not possible, as in `helm template`, each rendering generates new
ones: set an existingSecret there.)
Arguments: root, name, key, length.
*/}}
{{- define "site-validator.kept" -}}
{{- $secret := lookup "v1" "Secret" .root.Release.Namespace .name | default dict }}
{{- $value := index ($secret.data | default dict) .key }}
{{- if $value }}{{ $value | b64dec }}{{ else }}{{ randAlphaNum .length }}{{ end }}
{{- end }}

{{/* Changes when a Secret that the chart creates from values changes: pods read Secrets only when they start. */}}
{{- define "site-validator.secretsChecksum" -}}
{{- list .Values.database .Values.firstToken .Values.secretKey | toJson | sha256sum }}
{{- end }}
