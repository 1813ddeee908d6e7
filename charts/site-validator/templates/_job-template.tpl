{{/*
Settings for the Jobs that the controller creates. The program decides what a Job runs; these settings
decide where its pods run, with which resources, and where the credentials come from.
*/}}
{{- define "site-validator.jobTemplate" -}}
labels:
  app.kubernetes.io/name: {{ include "site-validator.name" . }}
  app.kubernetes.io/instance: {{ .Release.Name }}
  app.kubernetes.io/component: job
  app.kubernetes.io/part-of: site-validator
  {{- with .Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .Values.jobs.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations: {{ merge (dict) .Values.jobs.annotations .Values.commonAnnotations | toJson }}
serviceAccountName: {{ include "site-validator.fullname" . }}-job
imagePullSecrets:
  {{- range .Values.image.pullSecrets }}
  - name: {{ . }}
  {{- else }} []
  {{- end }}
env:
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ include "site-validator.databaseSecret" . }}
        key: {{ include "site-validator.jobsDatabaseKey" . }}
  {{- $mounted := "/etc/site-validator/sites" }}
  {{- $tls := .Values.siteTls }}
  {{- if or $tls.caConfigMap $tls.caSecret }}
  - name: CA_FILES
    value: {{ $mounted }}/ca/{{ $tls.caKey }}
  {{- end }}
  {{- $clients := list }}
  {{- range $host, $secret := $tls.clientCertificates }}
  {{- $folder := printf "%s/client-%d" $mounted (len $clients) }}
  {{- $clients = append $clients (printf "%s=%s/tls.crt,%s/tls.key" $host $folder $folder) }}
  {{- end }}
  {{- if $clients }}
  - name: CLIENT_CERTIFICATES
    value: {{ join ";" $clients | quote }}
  {{- end }}
  {{- with $tls.insecureHosts }}
  - name: INSECURE_TLS_HOSTS
    value: {{ join "," . | quote }}
  {{- end }}
  {{- $proxy := .Values.siteProxy }}
  {{- range $name := list "http" "https" }}
  {{- $variable := printf "%s_PROXY" (upper $name) }}
  {{- if $proxy.existingSecret }}
  - name: {{ $variable }}
    valueFrom:
      secretKeyRef: { name: {{ $proxy.existingSecret }}, key: {{ $variable }}, optional: true }
  {{- else if index $proxy $name }}
  - name: {{ $variable }}
    value: {{ index $proxy $name | quote }}
  {{- end }}
  {{- end }}
  {{- with $proxy.noProxy }}
  - name: NO_PROXY
    value: {{ join "," . | quote }}
  {{- end }}
  {{- with .Values.jobs.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- if or $tls.caConfigMap $tls.caSecret $clients }}
volumes:
  {{- if $tls.caConfigMap }}
  - { name: ca, configMap: { name: {{ $tls.caConfigMap }} } }
  {{- else if $tls.caSecret }}
  - { name: ca, secret: { secretName: {{ $tls.caSecret }}, defaultMode: 288 } }
  {{- end }}
  {{- $number := 0 }}
  {{- range $tls.clientCertificates }}
  - { name: client-{{ $number }}, secret: { secretName: {{ . }}, defaultMode: 288 } }
  {{- $number = add1 $number }}
  {{- end }}
volumeMounts:
  {{- if or $tls.caConfigMap $tls.caSecret }}
  - { name: ca, mountPath: {{ $mounted }}/ca, readOnly: true }
  {{- end }}
  {{- range until (len $clients) }}
  - { name: client-{{ . }}, mountPath: {{ $mounted }}/client-{{ . }}, readOnly: true }
  {{- end }}
{{- end }}
resources: {{- toYaml .Values.jobs.resources | nindent 2 }}
nodeSelector: {{ toJson .Values.jobs.nodeSelector }}
tolerations: {{ toJson .Values.jobs.tolerations }}
affinity: {{ toJson .Values.jobs.affinity }}
priorityClassName: {{ .Values.jobs.priorityClassName | quote }}
{{- end }}
